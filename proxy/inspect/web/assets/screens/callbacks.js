import { api } from '../api.js';
import { h, icon, replace } from '../dom.js';
import { clock, took } from '../format.js';
import { button, panel } from '../parts.js';
import { pairs, table } from '../parts/tables.js';
import { pip } from './attempts.js';

/** When callbacks are sent, and what that means. */
const modes = [
  ['now', 'Now', 'Each is sent as soon as its cause was answered.'],
  ['recorded', 'As recorded', 'Each is sent as long after its cause as on tape.'],
  ['hold', 'Hold', 'Each waits until somebody sends the next.'],
  ['off', 'Off', 'None is sent.'],
];

/** What became of a callback, by its state: tone and icon. The state itself is the word. */
const looks = {
  accepted: ['good', 'ok'],
  refused: ['bad', 'no'],
  'given up': ['bad', 'no'],
  dropped: ['bad', 'no'],
  pending: ['wait', 'wait'],
  held: ['wait', 'wait'],
  waiting: ['wait', 'wait'],
  sent: ['wait', 'wait'],
};

/** The callbacks of a deck: when they are sent, those that wait, and what became of the others. */
export class CallbackList {
  /**
   * @param {object} app of app.js
   * @param {() => Promise<void>} changed is called after something was sent or set
   */
  constructor(app, changed) {
    this.app = app;
    this.changed = changed;
    this.chosen = 0;
    this.element = h('div', { class: 'stack' });
  }

  /** Draws the list of the API: callback.List and the mode. */
  draw(list) {
    this.told = list;
    const entries = (list.callbacks ?? []).toSorted(waitingFirst);
    const chosen = entries.find((entry) => entry.number === this.chosen) ?? entries[0];
    replace(
      this.element,
      panel(
        'Callbacks',
        '',
        [this.modes(list.mode), this.nextButton(list)],
        h(
          'p',
          { class: 'pad t2' },
          list.none ?? modes.find(([name]) => name === list.mode)?.[2],
        ),
        entries.length > 0
          ? this.table(entries, chosen)
          : !list.none && h('p', { class: 'pad' }, 'There was no callback in this run.'),
      ),
      chosen && this.detail(chosen),
    );
  }

  modes(mode) {
    if (!modes.some(([name]) => name === mode)) return null;
    return h(
      'span',
      { class: 'seg', role: 'group', aria: { label: 'When callbacks are sent' } },
      modes.map(([name, text]) =>
        button(text, null, () => this.set(name), {
          aria: { pressed: String(name === mode) },
          data: { name: `mode ${name}` },
        }),
      ),
    );
  }

  nextButton(list) {
    return (
      list.mode === 'hold' &&
      button('Send next', '>', () => this.next(), { data: { name: 'next' } })
    );
  }

  table(entries, chosen) {
    const held = entries.filter((entry) => entry.state === 'held');
    return table({
      class: 'rl',
      caption: 'Callbacks, those that wait first',
      rows: entries,
      mark: (entry) => (entry === chosen ? 'sel' : ''),
      columns: [
        {
          head: 'No.',
          row: true,
          cell: (entry) =>
            h(
              'button',
              {
                type: 'button',
                class: 'plain m',
                data: { name: `callback ${entry.number}` },
                on: { click: () => this.choose(entry.number) },
              },
              `c${entry.number}`,
            ),
        },
        { head: 'About', class: 'nw', cell: (entry) => this.about(entry) },
        { head: 'Callback', cell: (entry) => entry.operation || 'callback' },
        { head: 'Tries', cell: (entry) => h('span', { class: 'atts' }, tries(entry)) },
        { head: 'Shop said', cell: (entry) => said(entry, entry === held[0]) },
        {
          head: 'When',
          class: 'nw',
          cell: (entry) => clock(entry.attempts?.at(-1)?.at ?? entry.at),
        },
      ],
    });
  }

  about(entry) {
    const name = entry.names?.find(({ name: field }) => /number/i.test(field)) ?? entry.names?.[0];
    return name
      ? h(
          'a',
          { href: this.app.href(`flow/${encodeURIComponent(name.value)}`) },
          shortName(name.value),
        )
      : h('span', { class: 'dim' }, 'nothing known');
  }

  detail(entry) {
    const last = entry.attempts?.at(-1);
    return panel(
      `c${entry.number} ${entry.operation || 'callback'}`,
      `${entry.cassette}#${entry.onTape}`,
      button('Send again', null, () => this.resend(entry.number), { data: { name: 'resend' } }),
      h(
        'div',
        { class: 'pad' },
        pairs([
          ['To', entry.to && h('span', { class: 'm' }, entry.to)],
          ...(entry.names ?? []).map(({ name, value }) => [
            h('code', {}, name),
            h('span', { class: 'm' }, value),
          ]),
          ['Shop said', entry.answer && h('span', { class: 'm' }, entry.answer)],
          ['On tape', entry.expected ? `the shop said ${entry.expected}` : ''],
          ['Problem', [entry.problem, last?.problem, last?.cause].filter(Boolean).join(', ')],
          ['Rules', entry.rules],
          ['Last try', last && `${clock(last.at)}, ${took(last.took)}`],
          ['Copy', entry.copy && 'a rule has it sent once more'],
          ['Again', entry.again && 'somebody has asked for it to be sent once more'],
        ]),
      ),
    );
  }

  choose(number) {
    this.chosen = number;
    this.app.address({ callback: number });
    return this.changed();
  }

  set(mode) {
    return this.post('callbacks/mode', { to: mode }, `Callbacks: ${mode}.`);
  }

  /** Sends the callback that waits longest. */
  next() {
    return this.post('callbacks/next', {}, 'The next callback was sent.');
  }

  resend(number) {
    return this.post(`callbacks/${number}/resend`, {}, `c${number} was sent again.`);
  }

  async post(path, params, done) {
    const saved = await api.post(path, params).catch((error) => ({ message: error.message }));
    this.app.say(saved.message || (saved.ok ? done : 'Nothing was changed.'));
    await this.changed();
  }
}

/** Those that wait come first, in their order; of the others the latest. */
function waitingFirst(a, b) {
  const waits = (entry) => looks[entry.state]?.[0] === 'wait';
  if (waits(a) !== waits(b)) return waits(a) ? -1 : 1;
  return waits(a) ? a.number - b.number : b.number - a.number;
}

function tries(entry) {
  if (!entry.attempts?.length) return h('span', { class: 'pip wait' }, entry.state);
  return entry.attempts.map((one, i) =>
    pip(one.code, entry.state === 'accepted' && i === entry.attempts.length - 1 ? 'good' : 'bad'),
  );
}

function said(entry, first) {
  const [tone, sign] = looks[entry.state] ?? ['plain', null];
  const tried = entry.attempts?.length ?? 0;
  const words = entry.state === 'accepted' && tried > 1 ? `accepted at try ${tried}` : entry.state;
  return [
    h('span', { class: `v ${tone}` }, sign && icon(sign), h('span', {}, words)),
    first && h('span', { class: 't2 line' }, 'first in line: sent by Send next'),
    entry.differs &&
      h('span', { class: 't2 line' }, `on tape the shop said ${entry.expected || 'nothing'}`),
    entry.problem && h('span', { class: 't2 line' }, entry.problem),
  ];
}

function shortName(value) {
  return value.length > 16 ? `${value.slice(0, 8)}..${value.slice(-4)}` : value;
}
