// What "y" copies: a command, an archive, a rule, a diagram, JSON.

import { mermaid } from './mermaid.js';

/**
 * Returns keys that copy what a screen shows. source() returns {id, flow}: the number of an
 * exchange and the name of a flow; either may be missing.
 */
export function copyKeys(app, source) {
  const one = (what, make) => async () => {
    const { id, flow } = source();
    if (!id && !flow) return app.say('Nothing is selected.');
    try {
      const text = await make(id, flow);
      if (!text) return app.say(`There is no ${what} of this.`);
      await app.copy(text, what);
    } catch (error) {
      app.say(`Not copied: ${error.message}.`);
    }
  };
  const exchange = (part) => async (id) => (id ? (await app.api.get(`exchanges/${id}`))[part] : '');
  return {
    'y c': ['copy as curl', one('curl command', exchange('curl'))],
    'y h': ['copy as HAR', one('HAR', (id) => (id ? app.api.text(`exchanges/${id}.har`) : ''))],
    'y r': ['copy as a rule', one('rule', exchange('rule'))],
    'y m': [
      'copy the flow as Mermaid',
      one('diagram', async (id, flow) =>
        flow ? mermaid(await app.api.get(`flows/${encodeURIComponent(flow)}`)) : '',
      ),
    ],
    'y j': [
      'copy as JSON',
      one('JSON', async (id, flow) =>
        JSON.stringify(
          await app.api.get(id ? `exchanges/${id}` : `flows/${encodeURIComponent(flow)}`),
          null,
          2,
        ),
      ),
    ],
  };
}
