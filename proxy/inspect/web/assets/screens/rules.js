// The screen of the rules of the run and of the callbacks: what was armed and has fired, what was
// sent to the shop and what waits.

import { api } from '../api.js';
import { h, icon, replace } from '../dom.js';
import { clock, counted } from '../format.js';
import { button, copyBox, panel } from '../parts.js';
import { table } from '../parts/tables.js';
import { CallbackList } from './callbacks.js';

const pause = 500; // milliseconds between an event and asking again, at least

/**
 * Shows rules and callbacks.
 * @param {object} app of app.js
 * @param {Element} main
 * @param {{part: 'rules' | 'callbacks', rule?: string, callback?: string}} params
 */
export async function show(app, main, params) {
  const screen = new RulesScreen(app, params);
  await screen.load();
  replace(main, screen.elements(params.part));
  return { keys: screen.keys(), leave: screen.follow() };
}

class RulesScreen {
  constructor(app, params) {
    this.app = app;
    this.chosen = params.rule ?? '';
    this.turn = 0; // counts questions
    this.told = ''; // the answer that is drawn
    this.list = h('div', {});
    this.detail = h('div', { class: 'side' });
    this.callbacks = new CallbackList(app, () => this.refresh());
    this.callbacks.chosen = Number(params.callback) || 0;
  }

  // Draws what is there now, and leaves the focus where it is. An answer that comes after that to a
  // later question is old; one that tells nothing new leaves the buttons, which may be pressed just
  // now, in their place.
  async load() {
    const mine = ++this.turn;
    const [rules, callbacks] = await Promise.all([api.get('rules'), api.get('callbacks')]);
    const told = JSON.stringify([rules, callbacks, this.chosen, this.callbacks.chosen]);
    if (mine !== this.turn || told === this.told) return;
    this.told = told;
    this.rules = rules;
    const focused = document.activeElement?.dataset?.name;
    this.draw();
    this.callbacks.draw(callbacks);
    if (focused) document.querySelector(`[data-name="${CSS.escape(focused)}"]`)?.focus();
  }

  refresh() {
    return this.load().catch((error) => this.app.say(error.message));
  }

  /** Draws again after events that may have changed something. */
  follow() {
    let timer = 0;
    const stop = this.app.on('status', () => {
      if (timer || this.app.paused) return;
      timer = setTimeout(() => {
        timer = 0;
        this.refresh();
      }, pause);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }

  elements(part) {
    const { app } = this;
    const title = 'Rules and callbacks';
    app.title(title);
    this.summary = h('span', { class: 't2' });
    this.sum();
    const rules = h(
      'div',
      { class: 'stack' },
      panel('Rules', 'in the order in which they apply', null, this.list),
      this.detail,
    );
    const callbacks = h('div', { class: 'stack' }, this.callbacks.element);
    return [
      h(
        'div',
        { class: 'head' },
        h('h1', {}, title),
        this.summary,
        h('span', { class: 'sp' }),
        h(
          'span',
          { class: 'twin wide' },
          'same as ',
          h('code', {}, 'paytape rules'),
          ' and ',
          h('code', {}, 'paytape callbacks'),
        ),
      ),
      h(
        'div',
        { class: 'cols of-rules' },
        part === 'callbacks' ? [callbacks, rules] : [rules, callbacks],
      ),
    ];
  }

  sum() {
    const { rules } = this.rules;
    const fired = rules.reduce((sum, rule) => sum + rule.fired, 0);
    const armed = rules.filter((rule) => rule.armed).length;
    this.summary?.replaceChildren(
      `${counted(rules.length, 'rule')}, ${armed} armed; ${counted(fired, 'effect')} so far`,
    );
  }

  draw() {
    const { rules, broken } = this.rules;
    this.sum();
    replace(
      this.list,
      broken &&
        h(
          'div',
          { class: 'warn', role: 'alert' },
          icon('warn'),
          h(
            'span',
            {},
            h('b', {}, 'The rules files are broken; what was in force stays. '),
            broken,
          ),
        ),
      rules.length > 0
        ? this.table(rules)
        : h(
            'p',
            { class: 'pad t2' },
            'No rule is in force. Start the deck with ',
            h('code', {}, '--rules FILE'),
            '.',
          ),
    );
    const rule = rules.find((one) => one.name === this.chosen) ?? rules[0];
    replace(this.detail, rule && this.source(rule));
  }

  table(rules) {
    return table({
      class: 'rl',
      caption: 'Rules of the run',
      rows: rules,
      mark: (rule) => (rule.name === this.chosen ? 'sel' : ''),
      columns: [
        {
          head: 'Rule',
          row: true,
          cell: (rule) => [
            h(
              'button',
              {
                type: 'button',
                class: 'plain',
                data: { name: `rule ${rule.name}` },
                on: { click: () => this.choose(rule.name) },
              },
              rule.name,
            ),
            h('span', { class: 't2 line' }, rule.does),
          ],
        },
        { head: 'State', class: 'nw', cell: (rule) => this.switch(rule) },
        {
          head: 'Fired, of matched',
          class: 'num nw',
          cell: (rule) => [h('b', {}, rule.fired), ` of ${rule.matched}`],
        },
        { head: 'Last, or why not', class: 't2', cell: lastOrWhyNot },
      ],
    });
  }

  /** A switch says what is, and never what a click would do. */
  switch(rule) {
    return h(
      'button',
      {
        type: 'button',
        class: 'sw',
        role: 'switch',
        data: { name: `switch ${rule.name}` },
        aria: { checked: String(rule.armed), label: rule.name },
        on: { click: () => this.toggle(rule) },
      },
      rule.armed && icon('ok'),
      rule.armed ? 'armed' : 'off',
    );
  }

  async toggle(rule) {
    const act = rule.armed ? 'disarm' : 'arm';
    const saved = await api
      .post(`rules/${encodeURIComponent(rule.name)}/${act}`)
      .catch((error) => ({ message: error.message }));
    this.app.say(saved.message || `${rule.name} is ${saved.ok ? `${act}ed` : 'as it was'}.`);
    await this.refresh();
  }

  choose(name) {
    this.chosen = name;
    this.app.address({ rule: name });
    this.refresh();
  }

  source(rule) {
    const where = rule.file ? `${rule.file}:${rule.line}` : `made by the ${rule.origin}`;
    const missed =
      rule.missed?.length > 0 &&
      h(
        'p',
        { class: 'pad' },
        'It was to change ',
        h('code', {}, rule.missed.join(', ')),
        ', and there was no such field.',
      );
    return panel(
      rule.name,
      where,
      rule.source && button('Copy', 'y r', () => this.app.copy(rule.source, `rule ${rule.name}`)),
      rule.source && h('div', { class: 'pad' }, copyBox(rule.source, `Rule ${rule.name}`)),
      missed,
      rule.resent > 0 &&
        h(
          'p',
          { class: 'pad t2' },
          `${counted(rule.resent, 'attempt')} were sent again by the client's own library.`,
        ),
      h(
        'p',
        { class: 'pad' },
        h(
          'a',
          { href: this.app.href('', { q: `rule:${rule.name}` }) },
          'Exchanges for which it has fired',
        ),
      ),
    );
  }

  keys() {
    return {
      '>': ['send the next callback', () => this.callbacks.next()],
      'y r': [
        'copy the rule',
        () => {
          const rule =
            this.rules.rules.find((one) => one.name === this.chosen) ?? this.rules.rules[0];
          return rule?.source
            ? this.app.copy(rule.source, `rule ${rule.name}`)
            : this.app.say('There is no rule to copy.');
        },
      ],
      'y j': ['copy as JSON', () => this.app.copy(JSON.stringify(this.rules, null, 2), 'JSON')],
    };
  }
}

function lastOrWhyNot(rule) {
  if (rule.fired > 0) return rule.last ? clock(rule.last) : 'some time ago';
  if (rule.failed) return ['never: mostly ', h('code', {}, rule.failed), ' was not so'];
  return rule.armed ? 'never' : 'never: it is off';
}
