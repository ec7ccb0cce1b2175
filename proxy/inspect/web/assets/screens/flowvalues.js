import { api } from '../api.js';
import { h } from '../dom.js';
import { value } from '../parts.js';
import { scrolling, table } from '../parts/tables.js';

const most = 60; // exchanges that are read

/**
 * The values of a flow that are not as recorded, each with its birth and its uses. The exchanges of
 * the flow are read one after another, the oldest first, so the first place of a value is its birth.
 * @param {object} flow of view.Flow
 * @param {(row: object) => string} address where the exchange of a row is shown
 */
export async function flowValues(flow, address) {
  const found = new Map();
  const rows = flow.rows.filter((row) => !row.callback).slice(0, most);
  for (const row of rows) {
    const exchange = await api.get(`exchanges/${row.id}`).catch(() => null);
    if (exchange) collect(found, exchange);
  }
  return scrolling(
    'Values',
    table({
      class: 'rl',
      caption: 'Values that this run has of its own',
      rows: [...found.values()],
      columns: [
        { head: 'Name', class: 'm', row: true, cell: (one) => one.name },
        { head: 'Here', cell: (one) => value(one.kind, one.live) },
        { head: 'On tape', cell: (one) => value(one.kind, one.tape) },
        { head: 'Kind', class: 't2 nw', cell: (one) => one.kind },
        { head: 'Born in', class: 'nw', cell: (one) => place(one.places[0], address) },
        { head: 'Used in', cell: (one) => uses(one.places.slice(1), address) },
      ],
    }),
    rows.length === most && h('p', { class: 'pad t2' }, `The first ${most} exchanges were read.`),
  );
}

/** Collects the values of an exchange, by kind and text. */
function collect(found, exchange) {
  const sides = [
    ['request', exchange.requestFields],
    ['answer', exchange.responseFields],
  ];
  for (const [side, fields] of sides) {
    for (const field of fields ?? []) {
      if (!field.hasLive || !field.live || ['constant', 'redacted'].includes(field.kind)) continue;
      const key = `${field.kind} ${field.live}`;
      if (!found.has(key)) {
        found.set(key, {
          name: field.noun || field.path,
          live: field.live,
          tape: field.tape ?? '',
          kind: field.kind,
          places: [],
        });
      }
      found.get(key).places.push({ id: exchange.row.id, side, path: field.path });
    }
  }
}

function place({ id, side, path }, address) {
  return [h('a', { href: address({ id }) }, `#${id}`), ` ${side} `, h('code', {}, path)];
}

/** Uses, one line for each field: "#28, #30 request MDORDER". */
function uses(places, address) {
  const byField = Map.groupBy(places, ({ side, path }) => `${side} ${path}`);
  return [...byField.values()].map((same) =>
    h(
      'div',
      {},
      same.map(({ id }, i) => [i > 0 && ', ', h('a', { href: address({ id }) }, `#${id}`)]),
      ` ${same[0].side} `,
      h('code', {}, same[0].path),
    ),
  );
}
