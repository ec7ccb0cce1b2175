// The list of the traffic.

import { h } from '../dom.js';

/** Shows the list. */
export async function show(app, main) {
  app.title('Traffic');
  const list = await app.api.get('exchanges', { grouped: 1, n: 40 });
  main.append(h('h1', {}, `Traffic: ${list.total} lines`));
  return {};
}
