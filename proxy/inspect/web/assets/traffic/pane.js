// The pane beside the list: the selected line in short. A miss shows what differs and what would
// mend it.

import { h, replace } from '../dom.js';
import { clip, clock, took } from '../format.js';
import { button, keyCap, linkButton, miss, shape, signs, tag, verdict } from '../parts.js';
import { served } from './row.js';

const longest = 600; // characters of a sentence; the screen of the exchange has all of it
const pause = 80; // milliseconds on a line before more is asked for: fingers rest on "j"

export class Pane {
  constructor(app, copy) {
    this.app = app;
    this.copy = copy;
    this.turn = 0;
    this.element = h('aside', { class: 'peek', tabindex: 0, aria: { label: 'Selected exchange' } });
    this.clear();
  }

  /** Shows that nothing is selected. */
  clear() {
    this.turn++;
    replace(this.element, h('p', { class: 't2' }, 'Select a line to see more of it.'), this.foot());
  }

  /** Shows a line: what the list knows at once, and the rest when it has come. */
  async show(line) {
    const mine = ++this.turn;
    const { row, group } = line;
    this.draw(line, {});
    await new Promise((resolve) => {
      setTimeout(resolve, pause);
    });
    if (mine !== this.turn) return;
    const name = group?.id ?? row.group;
    const explained = row && ['miss', 'marked', 'failed'].includes(row.sign);
    const [why, flow] = await Promise.all([
      explained ? this.ask(`why/${row.id}`) : null,
      name ? this.ask(`flows/${encodeURIComponent(name)}`) : null,
    ]);
    if (mine === this.turn) this.draw(line, { why, flow });
  }

  // What is held no longer is not shown; the list has said what is known of it.
  ask(path) {
    return this.app.api.get(path).catch(() => null);
  }

  draw({ row, group }, { why, flow }) {
    replace(
      this.element,
      row ? rowHead(row, flow?.group ?? group, why) : groupHead(group),
      why && [state(why), differs(why), mends(why)],
      h('section', {}, this.acts(row, group)),
      flow && facts(flow),
      this.foot(),
    );
  }

  acts(row, group) {
    const { app } = this;
    const flow = group?.id ?? row.group;
    return h(
      'div',
      { class: 'acts' },
      row && linkButton('Why', 'w', app.href(`why/${row.id}`)),
      row && linkButton('Open', 'Enter', app.href(`x/${row.id}`)),
      flow && linkButton('Order', 'o', app.href(`flow/${flow}`)),
      row && button('Copy', 'y', this.copy),
    );
  }

  foot() {
    return [
      h(
        'div',
        { class: 'keys' },
        [
          ['j k', 'move'],
          ['J K', 'next order'],
          ['ArrowLeft ArrowRight', 'fold'],
          ['m', 'next miss'],
          ['c', 'compare'],
          ['.', 'hide this pane'],
        ].map(([keys, text]) => h('span', {}, keyCap(keys), text)),
      ),
      h(
        'div',
        { class: 'keys shapes' },
        signs.map((sign) => h('span', {}, shape(sign), sign)),
      ),
    ];
  }
}

function rowHead(row, group, why) {
  const name = row.callback ? `c${row.callback} callback` : `#${row.id}`;
  return h(
    'section',
    {},
    h(
      'div',
      { class: 't' },
      row.sign === 'miss' && tag('miss', `miss: ${row.reason}`),
      h('b', {}, `${name} ${clip(row.operation || row.target || row.kind, 120)}`),
      group?.who?.label &&
        h('span', { class: 'dim' }, `${group.who.kind ?? ''} ${clip(group.who.label, 60)}`),
    ),
    why ? h('p', {}, clip(why.sentence, longest)) : summary(row),
    row.hint && !why && h('p', { class: 't2' }, clip(row.hint, longest)),
  );
}

function summary(row) {
  const facts = [
    ['Outcome', row.sign === 'miss' ? miss(row) : verdict(row.outcome)],
    ['Amount', clip(row.amount?.text ?? '', 60)],
    ['Served from', served(row)],
    ['State before', clip(row.state ?? '', 200)],
    ['Stands on', row.markWords],
    ['Codes', clip(row.outcome?.fields ?? '', 200)],
    ['HTTP', row.code && `${row.method ?? ''} ${row.code}`],
    ['Took', row.took && took(row.took)],
  ];
  return [row.sentence && h('p', {}, clip(row.sentence, longest)), pairs(facts)];
}

function groupHead(group) {
  return h(
    'section',
    {},
    h(
      'div',
      { class: 't' },
      h('b', {}, `${group.who?.kind ?? ''} ${clip(group.who?.label ?? 'outside any order', 120)}`),
    ),
    pairs([
      ['Outcome', verdict(group.outcome)],
      ['Amount', clip(group.amount?.text ?? '', 60)],
      ['Began', clock(group.at)],
      ['Took', took(group.took)],
      ['Rows', group.rows],
    ]),
  );
}

function pairs(list) {
  const known = list.filter(([, value]) => value && value !== 0);
  return h(
    'dl',
    { class: 'kv' },
    known.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]),
  );
}

function titled(text, ...children) {
  return h('section', {}, h('h2', { class: 'sh' }, text), children);
}

function state(why) {
  return why.before && titled('State', h('p', {}, why.before));
}

function differs(why) {
  const [nearest] = why.candidates ?? [];
  if (!nearest?.differs?.length) return null;
  const head = ['Field', 'Client sent', nearest.exchange];
  return titled(
    'What differs',
    h(
      'div',
      { class: 'cmp' },
      h(
        'table',
        {},
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            head.map((text) => h('th', { scope: 'col' }, text)),
          ),
        ),
        h(
          'tbody',
          {},
          nearest.differs
            .slice(0, 6)
            .map((field) =>
              h(
                'tr',
                { class: 'diff-a' },
                h('td', {}, clip(field.path, 80)),
                h('td', {}, h('b', {}, clip(field.sent ?? '', 120) || field.problem)),
                h('td', {}, h('b', {}, clip(field.tape ?? '', 120))),
              ),
            ),
        ),
      ),
    ),
  );
}

function mends(why) {
  if (!why.mends?.length) return null;
  return titled(
    'What would mend it',
    h(
      'ul',
      {},
      why.mends.slice(0, 3).map((mend) => h('li', {}, clip(mend.text, 400))),
    ),
  );
}

function facts(flow) {
  const { group, rows, states } = flow;
  const calls = (rows ?? []).filter((row) => row.callback);
  const last = calls.at(-1);
  const kind = group.who?.kind || 'flow';
  return titled(
    `${kind[0].toUpperCase()}${kind.slice(1)} ${clip(group.who?.label ?? '', 60)}`,
    pairs([
      [
        `${kind[0].toUpperCase()}${kind.slice(1)} id`,
        group.who?.id && h('span', { class: 'm' }, clip(group.who.id, 120)),
      ],
      ['Card', group.who?.card && h('span', { class: 'm' }, clip(group.who.card, 40))],
      ['Amount', clip(group.amount?.text ?? '', 60)],
      ['States', clip((states ?? []).map((one) => one.words).join(', '), 400)],
      [
        'Callback',
        last &&
          `${last.operation ?? ''}, ${last.callbackOutcome ?? ''} at try ${last.attempt ?? 0}`,
      ],
      ['Session', group.session],
    ]),
  );
}
