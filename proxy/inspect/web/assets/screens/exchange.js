// The screen of an exchange: what the client sent, what is on tape, and what was served.

import { api } from '../api.js';
import { copyKeys } from '../copy.js';
import { h, replace, svg } from '../dom.js';
import { clip, took } from '../format.js';
import { button, panel, value, verdict } from '../parts.js';
import { firedRules, rowName, rowOperation, signTag } from '../parts/outcome.js';
import { pairs } from '../parts/tables.js';
import { tabs } from '../parts/tabs.js';
import { kinds } from '../parts/values.js';
import { FieldTable } from './fieldtable.js';
import { headers, raw } from './messages.js';
import { ValueCard } from './valuecard.js';

/**
 * Shows an exchange.
 * @param {object} app of app.js
 * @param {Element} main
 * @param {{id: string, tab?: string, side?: string, path?: string}} params side and path name a field
 *   that gets the focus
 */
export async function show(app, main, params) {
  const exchange = await api.get(`exchanges/${encodeURIComponent(params.id)}`);
  const screen = new ExchangeScreen(app, exchange, params);
  replace(main, screen.elements());
  await screen.tabs.ready;
  screen.focus(params);
  return { keys: screen.keys() };
}

class ExchangeScreen {
  constructor(app, exchange, params) {
    this.app = app;
    this.exchange = exchange;
    this.row = exchange.row;
    this.card = new ValueCard(app, this.row.id);
    this.tables = this.makeTables();
    this.alone = ''; // the kind that is shown alone
    this.constants = true;
    this.copies = copyKeys(app, () => ({ id: this.row.id, flow: this.row.group }));
    this.tabs = tabs(
      'Views of the exchange',
      [
        { name: 'fields', text: 'Fields', key: 'f', content: () => this.fields() },
        { name: 'headers', text: 'Headers', key: 'h', content: () => headers(exchange) },
        { name: 'raw', text: 'Raw', key: 'x', content: () => raw(exchange) },
      ],
      params.tab,
      (tab) => app.address({ tab }),
    );
  }

  makeTables() {
    const { requestFields, responseFields, recordedResponse } = this.exchange;
    const tape = this.row.cassette ? `On tape, ${this.row.cassette}#${this.row.number}` : 'On tape';
    const columns = recordedResponse || this.row.kind === 'served';
    const request = new FieldTable(requestFields ?? [], this.card, {
      side: 'request',
      caption: 'Fields of the request',
      columns: columns
        ? [
            ['live', 'Client sent'],
            ['tape', 'On tape'],
          ]
        : [['live', 'Client sent']],
    });
    const answer = new FieldTable(responseFields ?? [], this.card, {
      side: 'answer',
      caption: 'Fields of the answer',
      columns: columns
        ? [
            ['tape', tape],
            ['live', 'Served'],
          ]
        : [['live', 'Served']],
    });
    return { request, answer };
  }

  elements() {
    const { app, row, exchange } = this;
    const title = `${rowName(row)} ${rowOperation(row)}`;
    app.title(title);
    const crumbs = [
      ['Traffic', ''],
      ...(row.group ? [[clip(row.who?.label || row.group, 40), `flow/${row.group}`]] : []),
    ];
    const why = h(
      'a',
      { class: 'tablink', href: app.href(`why/${row.id}`) },
      'Why',
      h('kbd', {}, 'w'),
    );
    return [
      h(
        'div',
        { class: 'head' },
        app.crumbs(crumbs),
        h('h1', {}, title),
        verdict(row.outcome),
        signTag(row),
        h('span', { class: 't2' }, this.served()),
        h('span', { class: 'sp' }),
        this.actions(),
      ),
      h('div', { class: 'tabline' }, this.tabs.list, why),
      exchange.gone &&
        h(
          'p',
          { class: 'pad t2' },
          'This exchange is held no longer; its row is all that is known. --keep N holds more.',
        ),
      this.tabs.body,
    ];
  }

  served() {
    const { row } = this;
    const from = row.cassette
      ? [
          ', ',
          row.kind === 'served' ? 'served from ' : 'recorded as ',
          h(
            'a',
            { href: this.app.href(`tape/${encodeURIComponent(row.cassette)}`) },
            `${row.cassette}#${row.number}`,
          ),
        ]
      : row.served && `, from ${row.served}`;
    return [row.code ? String(row.code) : 'no answer', from, `, ${took(row.took)}`];
  }

  actions() {
    const copy = (text, key) => button(text, key, this.copies[key][1]);
    return h(
      'span',
      { class: 'acts' },
      h('span', { class: 't2' }, 'Copy as'),
      copy('curl', 'y c'),
      copy('HAR', 'y h'),
      copy('Rule', 'y r'),
      this.app.status?.canResend !== false && button('Send again', 'r', () => this.resend()),
    );
  }

  fields() {
    const { request, response, more } = this.exchange;
    const constants = button('Hide constants', 'z', () => this.toggleConstants());
    this.constantsButton = constants;
    return h(
      'div',
      { class: 'cols of-ex' },
      h(
        'div',
        { class: 'stack' },
        panel(
          'Request',
          [request.line, request.media].filter(Boolean).join(', '),
          null,
          this.tables.request.element,
        ),
        this.legend(),
        this.state(),
        this.timing(),
      ),
      h(
        'div',
        { class: 'stack' },
        panel(
          'Answer',
          [response.line, response.media, `${response.size} bytes`].filter(Boolean).join(', '),
          constants,
          this.tables.answer.element,
          more > 0 && h('p', { class: 'pad t2' }, `${more} more fields are not shown.`),
        ),
      ),
    );
  }

  /** The kinds of values with their counts; a click shows one kind alone. */
  legend() {
    const all = [...(this.exchange.requestFields ?? []), ...(this.exchange.responseFields ?? [])];
    const rows = Object.entries(kinds).map(([kind, says]) => {
      const n = all.filter((field) => field.kind === kind).length;
      return (
        n > 0 &&
        h(
          'li',
          {},
          h(
            'button',
            {
              type: 'button',
              class: 'plain',
              aria: { pressed: 'false' },
              data: { kind },
              on: { click: () => this.showAlone(kind) },
            },
            value(kind, kind),
          ),
          h('span', {}, `${says}: ${n}`),
        )
      );
    });
    this.kindList = h('ul', { class: 'kinds' }, rows);
    return panel('Kinds of values', 'click to show one alone', null, this.kindList);
  }

  showAlone(kind) {
    this.alone = this.alone === kind ? '' : kind;
    for (const b of this.kindList.querySelectorAll('button')) {
      b.setAttribute('aria-pressed', String(b.dataset.kind === this.alone));
    }
    this.filter();
  }

  toggleConstants() {
    this.constants = !this.constants;
    this.constantsButton?.firstChild.replaceWith(
      this.constants ? 'Hide constants' : 'Show constants',
    );
    this.filter();
  }

  filter() {
    const visible = (field) =>
      this.alone
        ? field.kind === this.alone
        : this.constants || field.kind !== 'constant' || field.differs;
    Object.values(this.tables).forEach((table) => table.filter(visible));
  }

  state() {
    const { before, after } = this.exchange;
    const { row } = this;
    const rules = firedRules(row);
    return panel(
      'State',
      '',
      null,
      h(
        'div',
        { class: 'pad' },
        pairs([
          ['Before', before || row.state],
          ['After', after && (after === before ? 'the same' : after)],
          ['Mark', row.mark && (row.markWords || row.mark)],
          ['Rules', rules || 'none fired'],
        ]),
      ),
    );
  }

  timing() {
    const { timing } = this.exchange;
    const bars = [
      ['here', timing.took],
      ['on tape', timing.onTape],
    ].filter(([, ns]) => ns > 0);
    const most = Math.max(...bars.map(([, ns]) => ns));
    return (
      bars.length > 0 &&
      panel(
        'Time',
        '',
        null,
        h(
          'dl',
          { class: 'pad bars' },
          bars.map(([name, ns]) => [
            h('dt', {}, name),
            h(
              'dd',
              {},
              svg(
                'svg',
                {
                  class: 'timebar',
                  viewBox: '0 0 100 10',
                  preserveAspectRatio: 'none',
                  aria: { hidden: 'true' },
                },
                svg('rect', { width: (100 * ns) / most, height: 10, rx: 1 }),
              ),
              h('span', {}, took(ns)),
            ),
          ]),
        ),
      )
    );
  }

  async resend() {
    const { app, row } = this;
    if (
      app.status?.asks &&
      !(await app.ask(
        `Send ${rowOperation(row)} to the sandbox again? ` +
          'It is a real call, and the deck does not undo it.',
        'Send it',
      ))
    )
      return;
    const saved = await api
      .post(`exchanges/${row.id}/resend`, app.status?.asks && { sure: 1 })
      .catch((error) => ({ message: error.message }));
    app.say(saved.message || (saved.ok ? 'Sent again.' : 'Not sent.'));
    if (saved.ok && saved.id) app.navigate(`x/${saved.id}`);
  }

  /** Gives the focus to the field that the address names. */
  focus({ side, path }) {
    if (side && path) this.tables[side]?.focus(path);
  }

  /** Walks through the fields of the request, and on through those of the answer. */
  walk(step) {
    const { request, answer } = this.tables;
    const here = answer.element.contains(document.activeElement) ? answer : request;
    const other = here === request ? answer : request;
    const leaves = here.rove.atEdge(step) && (here === request) === step > 0;
    (leaves ? other : here).rove.walk(step);
  }

  keys() {
    return {
      f: ['fields', () => this.tabs.open('fields')],
      w: ['why', () => this.app.navigate(`why/${this.row.id}`)],
      h: ['headers', () => this.tabs.open('headers')],
      x: ['raw', () => this.tabs.open('raw')],
      j: ['next field', () => this.walk(1)],
      k: ['field before', () => this.walk(-1)],
      z: ['hide constants, show them', () => this.toggleConstants()],
      b: ['birth of the value', () => this.card.goToBirth()],
      n: ['next use of the value', () => this.card.goToUse(1)],
      N: ['use before', () => this.card.goToUse(-1)],
      r: ['send again', () => this.resend()],
      ...(this.row.group && { o: ['its flow', () => this.app.navigate(`flow/${this.row.group}`)] }),
      ...this.copies,
    };
  }
}
