// The screen of a tape: the states that it knows, what leads from one to another, and what nobody
// has asked for.

import { api } from '../api.js';
import { h, replace } from '../dom.js';
import { counted } from '../format.js';
import { button, panel, tag } from '../parts.js';
import { segments } from '../parts/segments.js';
import { scrolling, table } from '../parts/tables.js';
import { tabs } from '../parts/tabs.js';
import { day } from '../parts/times.js';
import { Rove } from '../parts/rove.js';
import { askedWords, edgeName, graphLegend, nodeName, stateGraph } from './stategraph.js';
import { chosenPanel, unusedPanel } from './tapeparts.js';

const latest = 1000; // exchanges of the run that are looked through for those of a recording

/**
 * Shows a tape.
 * @param {object} app of app.js
 * @param {Element} main
 * @param {{name?: string, tab?: string, state?: string}} params state is the id of a chosen state
 */
export async function show(app, main, params) {
  const names = await api.get('tapes');
  const all = Array.isArray(names) ? names : (names.tapes ?? []);
  const name = params.name ?? all[0];
  if (!name) return replace(main, nothing(app));
  const [machine, { rows }] = await Promise.all([
    api.get(`tapes/${encodeURIComponent(name)}/machine`),
    api.get('rows', { q: 'served:tape', n: latest }),
  ]);
  const served = rows.filter((row) => row.cassette === name);
  const screen = new TapeScreen(app, machine, { all, served }, params);
  replace(main, screen.elements());
  return { keys: screen.keys() };
}

function nothing(app) {
  app.title('Tape');
  return h(
    'div',
    { class: 'problem panel' },
    h('h1', {}, 'No tape is played'),
    h(
      'p',
      {},
      'This deck answers from no cassette. Record one: ',
      h('code', {}, 'paytape record --upstream URL NAME'),
    ),
  );
}

/** What All, Asked and Never asked leave of a graph. */
const shows = {
  all: () => true,
  asked: (part) => part.asked > 0,
  never: (part) => part.asked === 0,
};

class TapeScreen {
  constructor(app, machine, { all, served }, params) {
    this.app = app;
    this.machine = machine;
    this.names = all;
    this.served = Map.groupBy(served, (row) => row.number); // by the recording
    this.shown = 'all';
    this.side = h('div', { class: 'side' });
    this.chosen = {};
    const kinds = machine.kinds ?? [];
    this.tabs = tabs(
      'Kinds of things on the tape',
      [
        ...kinds.map((kind, i) => ({
          name: `k${i}`,
          text: capital(plural(kind)),
          count: this.of(kind).nodes.length,
          content: () => this.graph(kind),
        })),
        { name: 'table', text: 'Table', key: 't', content: () => this.twin() },
      ],
      params.tab ?? (matchMedia('(max-width: 700px)').matches ? 'table' : 'k0'),
      (tab) => app.address({ tab }),
    );
    const first =
      machine.nodes.find((node) => node.id === params.state) ??
      machine.nodes.toSorted((a, b) => b.liveCount - a.liveCount || b.asked - a.asked)[0];
    this.choose(first ? { node: first } : {});
  }

  /** The part of the machine that is of one kind. */
  of(kind) {
    const nodes = this.machine.nodes.filter((node) => node.kind === kind);
    const ids = new Set(nodes.map((node) => node.id));
    return { nodes, edges: this.machine.edges.filter((edge) => ids.has(edge.to)) };
  }

  elements() {
    const { app, machine, names } = this;
    app.title(`Tape ${machine.cassette}`);
    const recorded = machine.at ? `, recorded ${day(machine.at)}` : '';
    const from = machine.from ? ` from ${machine.from}` : '';
    return [
      h(
        'div',
        { class: 'head' },
        h('h1', {}, `Tape ${machine.cassette}`),
        h(
          'span',
          { class: 't2' },
          `${counted(machine.exchanges, 'exchange')} and ` +
            `${counted(machine.callbacks, 'callback')}${recorded}${from}`,
        ),
        machine.sealed && tag('good', 'sealed', 'ok'),
        h('span', { class: 'sp' }),
        names.length > 1 &&
          h(
            'nav',
            { class: 'acts', aria: { label: 'Tapes' } },
            names.map((name) =>
              h(
                'a',
                {
                  class: 'btn',
                  href: app.href(`tape/${encodeURIComponent(name)}`),
                  aria: { current: name === machine.cassette ? 'page' : null },
                },
                name,
              ),
            ),
          ),
        h(
          'span',
          { class: 'twin wide' },
          'same as ',
          h('code', {}, `paytape flows --graph ${machine.cassette}`),
        ),
      ),
      this.tabs.list,
      h(
        'div',
        { class: 'cols of-tape' },
        this.tabs.body,
        h('div', { class: 'stack' }, this.side, unusedPanel(machine)),
      ),
    ];
  }

  graph(kind) {
    const graph = stateGraph(this.of(kind), {
      label: `States of ${plural(kind)}; the tab Table has the same content`,
      choose: (chosen) => this.choose(chosen, true),
    });
    this.drawn = graph;
    const rove = new Rove([...graph.nodes.values(), ...graph.ways.values()]);
    graph.element.addEventListener('keydown', (event) => this.walk(event, graph, rove));
    this.filterGraph(graph);
    this.markChosen();
    return panel(
      `What ${plural(kind)} can do on this tape`,
      '',
      [
        segments(
          'Show',
          [
            ['all', 'All'],
            ['asked', 'Asked'],
            ['never', 'Never asked'],
          ],
          this.shown,
          (shown) => {
            this.shown = shown;
            this.filterGraph(graph);
          },
        ),
        button('Mermaid', 'y m', () => this.copyMermaid()),
      ],
      h('div', { class: 'pad scroll graphbox' }, graph.element),
      graphLegend(),
    );
  }

  /** Dims what is not shown: a graph without some of its states would tell something else. */
  filterGraph(graph) {
    for (const [id, element] of graph.nodes) {
      const node = this.machine.nodes.find((one) => one.id === id);
      element.classList.toggle('faint', !shows[this.shown](node));
    }
    for (const [way, element] of graph.ways) {
      element.classList.toggle('faint', !shows[this.shown](way));
    }
  }

  /** Walks with the arrow keys: right and left along edges, up and down in a column. */
  walk(event, graph, rove) {
    const at = [...graph.nodes].find(([, element]) => element === document.activeElement)?.[0];
    const way = [...graph.ways].find(([, element]) => element === document.activeElement)?.[0];
    const { nodes, ways } = graph;
    const out = [...ways].find(([one]) => one.from === at);
    const into = [...ways].find(([one]) => one.to === at);
    const steps = {
      ArrowRight: () => (way ? nodes.get(way.to) : out?.[1]),
      ArrowLeft: () => (way ? nodes.get(way.from) : into?.[1]),
      ArrowDown: () => this.beside(graph, at, way, 1),
      ArrowUp: () => this.beside(graph, at, way, -1),
    };
    if (!steps[event.key]) return;
    event.preventDefault();
    if (!at && !way) return rove.walk(0);
    const next = steps[event.key]();
    next?.focus();
    next?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  /** The next way out of the same state, or the next state of the same column. */
  beside({ nodes, ways }, at, way, step) {
    if (way) {
      const same = [...ways].filter(([one]) => one.from === way.from);
      return same[same.findIndex(([one]) => one === way) + step]?.[1];
    }
    const here = this.machine.nodes.find((node) => node.id === at);
    const column = this.machine.nodes
      .filter((node) => nodes.has(node.id) && node.column === here.column)
      .sort((a, b) => a.row - b.row);
    return nodes.get(column[column.indexOf(here) + step]?.id);
  }

  /** Shows a state, or the edges between two states, at the side. */
  choose(chosen, byReader = false) {
    this.chosen = chosen;
    replace(this.side, chosenPanel(this, chosen));
    this.markChosen();
    if (byReader && chosen.node) this.app.address({ ...this.app.params(), state: chosen.node.id });
  }

  markChosen() {
    if (!this.drawn) return;
    const { node, edges } = this.chosen;
    for (const [id, element] of this.drawn.nodes) press(element, id === node?.id);
    for (const [way, element] of this.drawn.ways) press(element, way.edges === edges);
  }

  /** The graph as a table. */
  twin() {
    const { nodes, edges } = this.machine;
    const name = (id) => nodeName(nodes.find((node) => node.id === id) ?? { name: 'start' });
    return scrolling(
      'Table',
      table({
        class: 'rl',
        caption: 'States of the tape',
        rows: nodes,
        columns: [
          {
            head: 'State',
            row: true,
            cell: (node) =>
              button(nodeName(node), '', () => this.choose({ node }, true), { class: 'plain' }),
          },
          { head: 'Kind', class: 't2 nw', cell: (node) => node.kind },
          { head: 'Code', class: 'm nw', cell: (node) => node.code },
          { head: 'Done before', class: 't2', cell: (node) => node.words },
          { head: 'Recordings', class: 'num', cell: (node) => node.recordings?.length ?? 0 },
          { head: 'Live', class: 'num', cell: (node) => node.liveCount },
          { head: 'Asked', class: 'nw', cell: (node) => askedWords(node.asked) },
        ],
      }),
      table({
        class: 'rl',
        caption: 'What leads from one state to another',
        rows: edges,
        columns: [
          { head: 'From', cell: (edge) => name(edge.from) },
          {
            head: 'Call',
            row: true,
            class: 'm',
            cell: (edge) =>
              button(edgeName(edge), '', () => this.choose({ edges: [edge] }, true), {
                class: 'plain',
              }),
          },
          { head: 'To', cell: (edge) => name(edge.to) },
          {
            head: 'On tape',
            class: 'm',
            cell: (edge) => (edge.recordings ?? []).map((n) => `#${n}`).join(', '),
          },
          { head: 'Asked', class: 'nw', cell: (edge) => askedWords(edge.asked) },
        ],
      }),
    );
  }

  copyMermaid() {
    return this.app.copy(this.machine.mermaid, 'the state machine as Mermaid');
  }

  keys() {
    return {
      g: ['graph', () => this.tabs.open('k0')],
      t: ['table', () => this.tabs.open('table')],
      'y m': ['copy as Mermaid', () => this.copyMermaid()],
      'y j': ['copy as JSON', () => this.app.copy(JSON.stringify(this.machine, null, 2), 'JSON')],
    };
  }
}

function press(element, on) {
  element.setAttribute('aria-pressed', String(on));
}

function capital(word) {
  return word[0].toUpperCase() + word.slice(1);
}

/** "gateway order" becomes "orders". */
function plural(kind) {
  return `${kind.split(' ').at(-1)}s`;
}
