// The screen of a flow: what client, deck, sandbox, browser and shop have said to one another, and
// how that differs from another flow.

import { api } from '../api.js';
import { copyKeys } from '../copy.js';
import { h, replace } from '../dom.js';
import { clip, counted, took } from '../format.js';
import { button, panel, verdict } from '../parts.js';
import { Rove } from '../parts/rove.js';
import { tabs } from '../parts/tabs.js';
import { attemptsPanel } from './attempts.js';
import { comparisonPanel, differences, marks } from './comparison.js';
import { diagram } from './diagram.js';
import { flowTable } from './flowtable.js';
import { flowValues } from './flowvalues.js';

/**
 * Shows a flow, and beside it another one if the address names two.
 * @param {object} app of app.js
 * @param {Element} main
 * @param {{id: string, b?: string, tab?: string}} params b is the flow to compare with
 */
export async function show(app, main, params) {
  const [flow, comparison] = await Promise.all([
    api.get(`flows/${encodeURIComponent(params.id)}`),
    params.b ? api.get('compare', { a: params.id, b: params.b }) : null,
  ]);
  const screen = new FlowScreen(app, flow, comparison, params.tab);
  replace(main, screen.elements());
  return { keys: screen.keys() };
}

class FlowScreen {
  constructor(app, flow, comparison, tab) {
    this.app = app;
    this.flow = flow;
    this.comparison = comparison;
    this.side = h('div', { class: 'stack' });
    this.tabs = tabs(
      'Views of the flow',
      [
        { name: 'diagram', text: 'Diagram', key: 's', content: () => this.diagram() },
        { name: 'table', text: 'Table', key: 't', content: () => flowTable(flow, this.address) },
        { name: 'values', text: 'Values', key: 'v', content: () => flowValues(flow, this.address) },
      ],
      tab ?? (matchMedia('(max-width: 700px)').matches ? 'table' : 'diagram'),
      (name) => app.address({ tab: name }),
    );
    this.fillSide(!comparison);
  }

  address = (row) => this.app.href(`x/${row.id}`);

  elements() {
    const { group } = this.flow;
    const { who = {} } = group;
    const name = `${who.kind || 'Flow'} ${clip(who.label || group.id, 80)}`;
    this.app.title(name);
    const head = h(
      'div',
      { class: 'head' },
      this.app.crumbs([['Traffic', '']]),
      h('h1', {}, name[0].toUpperCase() + name.slice(1)),
      verdict(group.outcome),
      group.amount && h('span', { class: 't2' }, clip(group.amount.text ?? '', 40)),
      who.card && h('span', { class: 'm' }, clip(who.card, 40)),
      h('span', { class: 'dim' }, `${tally(group)}, ${took(group.took)}`),
      h('span', { class: 'sp' }),
      h(
        'span',
        { class: 'twin wide' },
        'same as ',
        h('code', {}, `paytape show --order ${clip(who.label || group.id, 80)}`),
      ),
    );
    return [
      head,
      this.states(),
      this.tabs.list,
      h('div', { class: 'cols of-flow' }, this.tabs.body, this.side),
    ];
  }

  states() {
    const states = this.flow.states ?? [];
    return h(
      'ol',
      { class: 'states', aria: { label: 'States reached' } },
      states.map((state, i) =>
        h(
          'li',
          { class: i === states.length - 1 ? `end ${state.tone ?? ''}` : '' },
          h('span', { class: 'dot' }),
          clip(state.words, 80),
          state.code && h('span', { class: 'codes' }, clip(state.code, 40)),
          h('span', { class: 'dim' }, `+${took(state.after)}`),
        ),
      ),
    );
  }

  diagram() {
    const found = this.comparison ? marks(this.comparison) : new Map();
    const drawn = diagram(this.flow, found, {
      address: this.address,
      open: (row) => this.app.navigate(`x/${row.id}`),
    });
    this.steps = new Rove(drawn.steps);
    return h(
      'section',
      { class: 'panel scroll', aria: { label: 'Sequence' } },
      h('div', { class: 'pad' }, drawn.element),
    );
  }

  /** Fills the side with the comparison, or with flows to compare with. */
  async fillSide(choosing) {
    const attempts = attemptsPanel(this.flow.rows, this.address);
    if (!choosing) {
      replace(
        this.side,
        comparisonPanel(this.comparison, {
          other: () => this.choose(),
          open: (step) => step.a && this.app.navigate(`x/${step.a}`),
        }),
        attempts,
      );
      return;
    }
    const list = h('ul', { class: 'others' });
    replace(
      this.side,
      panel(
        'Compare with another flow',
        'why did this one fail?',
        button('Choose', 'c', () => this.choose()),
        list,
      ),
      attempts,
    );
    replace(list, await this.others());
  }

  async others() {
    const { lines } = await api.get('exchanges', { grouped: 1, n: 30 });
    const groups = lines
      .map((line) => line.group)
      .filter((group) => group && group.id !== this.flow.group.id);
    if (groups.length === 0) return [h('li', { class: 'pad t2' }, 'There is no other flow yet.')];
    return groups
      .slice(0, 12)
      .map((group) =>
        h(
          'li',
          {},
          h(
            'a',
            { href: this.app.href(`compare/${this.flow.group.id}/${group.id}`) },
            group.who?.label || group.id,
          ),
          verdict(group.outcome),
          h('span', { class: 'dim num' }, group.amount?.text ?? ''),
        ),
      );
  }

  async choose() {
    await this.fillSide(true);
    this.side.querySelector('.others a')?.focus();
  }

  /** Goes to the next step that differs, or to the one before. */
  difference(step) {
    if (!this.comparison) return this.app.say('Compare with another flow first.');
    const found = differences(this.comparison);
    const buttons = found.map((i) => this.side.querySelector(`[data-step="${i}"]`)).filter(Boolean);
    if (buttons.length === 0) return this.app.say('No step differs.');
    const at = buttons.indexOf(document.activeElement);
    const first = step > 0 ? 0 : buttons.length - 1;
    buttons[at < 0 ? first : (at + step + buttons.length) % buttons.length].focus();
  }

  keys() {
    return {
      s: ['diagram', () => this.tabs.open('diagram')],
      t: ['table', () => this.tabs.open('table')],
      v: ['values', () => this.tabs.open('values')],
      j: ['next step', () => this.steps?.walk(1)],
      k: ['step before', () => this.steps?.walk(-1)],
      c: ['compare with another flow', () => this.choose()],
      '[': ['difference before', () => this.difference(-1)],
      ']': ['next difference', () => this.difference(1)],
      ...copyKeys(this.app, () => ({ flow: this.flow.group.id })),
    };
  }
}

/** What became of the exchanges of a flow: "11 hits, 1 miss". */
function tally(group) {
  const words = [
    [group.hits, 'hit'],
    [group.asked, 'from sandbox', 'from sandbox'],
    [group.misses, 'miss', 'misses'],
    [group.marked, 'marked', 'marked'],
    [group.ruled, 'by rules', 'by rules'],
    [group.failed, 'failed', 'failed'],
  ]
    .filter(([n]) => n > 0)
    .map(([n, one, more]) => counted(n, one, more));
  return words.join(', ') || counted(group.rows, 'exchange');
}
