import { h } from '../dom.js';
import { counted, took } from '../format.js';
import { verdict } from '../parts.js';
import { rowName, rowOperation } from '../parts/outcome.js';
import { scrolling, table } from '../parts/tables.js';
import { between } from '../parts/times.js';

/**
 * The sequence of a flow as a table: the same content as the diagram.
 * @param {object} flow of view.Flow
 * @param {(row: object) => string} address where the exchange of a row is shown
 */
export function flowTable(flow, address) {
  const start = flow.group.at;
  return scrolling(
    'Table',
    table({
      class: 'rl',
      caption: 'Exchanges of the flow, oldest first',
      rows: flow.rows,
      mark: (row) => (row.sign === 'miss' ? 'one' : ''),
      columns: [
        { head: 'No.', class: 'm nw', cell: (row) => h('a', { href: address(row) }, rowName(row)) },
        { head: 'After', class: 'num nw', cell: (row) => `+${took(between(start, row.at))}` },
        { head: 'From, to', class: 'nw t2', cell: (row) => `${row.from ?? ''} → ${row.to ?? ''}` },
        { head: 'Operation', class: 'm', row: true, cell: (row) => rowOperation(row) },
        { head: 'Status', class: 'num', cell: (row) => String(row.code || '-') },
        { head: 'Outcome', cell: (row) => verdict(row.outcome) },
        { head: 'Served from', class: 'm nw', cell: servedFrom },
        { head: 'Took', class: 'num nw', cell: (row) => took(row.took) },
      ],
    }),
    flow.more > 0 &&
      h('p', { class: 'pad t2' }, `${counted(flow.more, 'more exchange')} not shown.`),
  );
}

/**
 * From where the answer of a row came: "checkout#18", "rule", "nothing".
 * @param {object} row of view.Row
 */
export function servedFrom(row) {
  if (row.callback) return `try ${row.attempt ?? 1}${row.attempts ? ` of ${row.attempts}` : ''}`;
  return row.cassette ? `${row.cassette}#${row.number}` : (row.served ?? '');
}
