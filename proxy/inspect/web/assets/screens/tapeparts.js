// What stands beside the graph of a tape: the chosen state or edge, and what nobody has asked for.

import { h, svg } from '../dom.js';
import { counted } from '../format.js';
import { keyCap, panel } from '../parts.js';
import { table } from '../parts/tables.js';
import { askedWords, edgeName, nodeName } from './stategraph.js';

const shown = 4; // exchanges of a recording that have links

/**
 * Tells what is recorded in a state, or which exchanges lead from one state to another.
 * @param {{app: object, machine: object, served: Map<number, object[]>}} tape view.Machine, and
 *   the exchanges of this run by the recording that has served them
 * @param {{node?: object, edges?: object[]}} chosen
 */
export function chosenPanel(tape, { node, edges }) {
  if (node) return statePanel(tape, node);
  return edges ? edgesPanel(tape, edges) : null;
}

function statePanel(tape, node) {
  const { app, machine } = tape;
  const leads = machine.edges.filter((edge) => edge.from === node.id);
  const name = (id) => nodeName(machine.nodes.find((one) => one.id === id) ?? {});
  return panel(
    nodeName(node),
    node.code ? `state ${node.number}, code ${node.code}` : `state ${node.number}`,
    h('span', { class: 't2' }, keyCap('ArrowLeft'), ' ', keyCap('ArrowRight'), ' along edges'),
    h(
      'div',
      { class: 'pad' },
      h('p', {}, node.words || 'Nothing was done before.'),
      live(app, node),
    ),
    node.recordings?.length > 0 &&
      table({
        class: 'rec',
        caption: 'Recorded here',
        rows: node.recordings,
        mark: (r) => (r.asked ? '' : 'never'),
        columns: [
          { head: 'Recorded here', row: true, class: 'm', cell: (r) => r.operation },
          { head: 'Answer', cell: (r) => r.answer },
          { head: 'On tape', class: 'm nw', cell: (r) => `#${r.number}` },
          { head: 'Asked', cell: (r) => [times(r.asked), ' ', exchanges(tape, [r.number])] },
        ],
      }),
    leads.length > 0 &&
      table({
        class: 'rec',
        caption: 'What leads on',
        rows: leads,
        mark: (edge) => (edge.asked ? '' : 'never'),
        columns: [
          { head: 'Leads on', row: true, class: 'm', cell: edgeName },
          { head: 'To', cell: (edge) => name(edge.to) },
          { head: 'On tape', class: 'm', cell: list },
          { head: 'Asked', class: 'num nw', cell: (edge) => times(edge.asked) },
        ],
      }),
  );
}

function live(app, node) {
  if (!node.liveCount) return h('p', { class: 't2' }, 'Nothing of this run is here.');
  const some = node.live ?? [];
  const links = some.map((who, i) => [
    i > 0 && ', ',
    h(
      'a',
      { href: app.href(`flow/${encodeURIComponent(who.label || who.id)}`) },
      who.label || who.id,
    ),
  ]);
  const more = node.liveCount - some.length;
  return h(
    'p',
    {},
    `${node.liveCount} of this run ${node.liveCount === 1 ? 'is' : 'are'} here: `,
    links,
    more > 0 && ` and ${more} more`,
  );
}

function edgesPanel(tape, edges) {
  const { machine } = tape;
  const name = (id) => nodeName(machine.nodes.find((node) => node.id === id) ?? { name: 'start' });
  return panel(
    `${name(edges[0].from)} to ${name(edges[0].to)}`,
    counted(edges.length, 'way'),
    null,
    table({
      class: 'rec',
      caption: 'Exchanges that lead there',
      rows: edges,
      mark: (edge) => (edge.asked ? '' : 'never'),
      columns: [
        {
          head: 'Call',
          row: true,
          class: 'm',
          cell: (edge) => [
            edgeName(edge),
            edge.silent &&
              edge.operation &&
              h('span', { class: 't2 line' }, `seen in ${edge.operation}`),
          ],
        },
        { head: 'On tape', class: 'm', cell: list },
        { head: 'Asked', class: 'nw', cell: (edge) => askedWords(edge.asked) },
        { head: 'In this run', class: 'm', cell: (edge) => exchanges(tape, edge.recordings ?? []) },
      ],
    }),
  );
}

function list(edge) {
  return (edge.recordings ?? []).map((number) => `#${number}`).join(', ');
}

/** The latest exchanges of this run that recordings have served: "#31, #37, 4 more". */
function exchanges({ app, served }, numbers) {
  const rows = numbers.flatMap((number) => served.get(number) ?? []).sort((a, b) => b.id - a.id);
  const more = rows.length - shown;
  return [
    rows
      .slice(0, shown)
      .map((row, i) => [i > 0 && ', ', h('a', { href: app.href(`x/${row.id}`) }, `#${row.id}`)]),
    more > 0 && `, ${more} more`,
  ];
}

function times(n) {
  return n === 0 ? 'never' : String(n);
}

/**
 * Tells how much of the tape this run has asked for, and what nobody has asked for.
 * @param {object} machine of view.Machine
 */
export function unusedPanel(machine) {
  const unused = machine.unused ?? [];
  const share = machine.exchanges > 0 ? machine.asked / machine.exchanges : 0;
  const byOperation = [...Map.groupBy(unused, (one) => one.operation)].map(([operation, all]) => ({
    operation,
    numbers: all.map((one) => `#${one.number}`).join(', '),
  }));
  return panel(
    'What this run has asked for',
    '',
    null,
    h(
      'div',
      { class: 'pad' },
      svg(
        'svg',
        {
          class: 'share',
          viewBox: '0 0 100 8',
          preserveAspectRatio: 'none',
          aria: { hidden: 'true' },
        },
        svg('rect', { class: 'of', width: 100, height: 8 }),
        svg('rect', { class: 'is', width: 100 * share, height: 8 }),
      ),
      h(
        'p',
        {},
        h('b', {}, machine.asked),
        ` of ${counted(machine.exchanges, 'exchange')}, `,
        h('b', {}, unused.length),
        ' never. ',
        h('code', {}, '--fail-unused'),
        ' makes that a failure.',
      ),
    ),
    byOperation.length > 0 &&
      table({
        class: 'rec',
        caption: 'Never asked for',
        rows: byOperation,
        mark: () => 'never',
        columns: [
          { head: 'Never asked', row: true, class: 'm', cell: (one) => one.operation },
          { head: 'On tape', class: 'm', cell: (one) => one.numbers },
        ],
      }),
  );
}
