// The screen that explains an answer or a miss: what was checked, what decided, and what would
// mend it.

import { api } from '../api.js';
import { copyKeys } from '../copy.js';
import { h, icon, replace } from '../dom.js';
import { clip, counted } from '../format.js';
import { button, copyBox, linkButton, panel } from '../parts.js';
import { rowOperation, signTag } from '../parts/outcome.js';
import { pairs, table } from '../parts/tables.js';

/**
 * Explains an exchange.
 * @param {object} app of app.js
 * @param {Element} main
 * @param {{id: string}} params
 */
export async function show(app, main, params) {
  const why = await api.get(`why/${encodeURIComponent(params.id)}`);
  const exchange = await api.get(`exchanges/${why.row.id}`).catch(() => null);
  const screen = new WhyScreen(app, why, exchange);
  replace(main, screen.elements());
  return { keys: screen.keys() };
}

class WhyScreen {
  constructor(app, why, exchange) {
    this.app = app;
    this.why = why;
    this.exchange = exchange;
    this.copies = copyKeys(app, () => ({ id: why.row.id, flow: why.row.group }));
  }

  get missed() {
    return this.why.row.sign === 'miss';
  }

  elements() {
    const { why, app } = this;
    const { row } = why;
    const name = `#${row.id} ${rowOperation(row)}`;
    const title = `Why ${name} was ${this.missed ? 'a miss' : 'answered'}`;
    app.title(title);
    return [
      h(
        'div',
        { class: 'head' },
        crumbs(app, row),
        h('h1', {}, title),
        signTag(row),
        h('span', { class: 'sp' }),
        linkButton('Exchange', 'x', app.href(`x/${row.id}`)),
        this.missed && linkButton('Last miss', 'm', app.href('why/last-miss')),
        h('span', { class: 'twin wide' }, 'same as ', h('code', {}, `paytape why ${row.id}`)),
      ),
      h(
        'div',
        { class: `say ${this.missed ? '' : row.sign === 'marked' ? 'mk' : 'hit'}` },
        h('p', {}, why.sentence),
        h('p', {}, why.title),
      ),
      why.gone &&
        h(
          'p',
          { class: 'pad t2' },
          'The exchange is held no longer; what its row tells is all there is.',
        ),
      h(
        'div',
        { class: 'cols of-why' },
        h('div', { class: 'stack' }, this.checks(), this.nearest(), this.compared()),
        h('div', { class: 'stack' }, this.mends(), this.states(), this.got(), this.same()),
      ),
    ];
  }

  checks() {
    const looks = {
      yes: ['ok', () => icon('ok'), 'yes'],
      no: ['no', () => icon('no'), 'no'],
      '-': ['na', () => h('span'), 'not tried'],
    };
    return panel(
      'What was checked',
      this.missed ? 'stops at the first no' : '',
      null,
      h(
        'ol',
        { class: 'ladder' },
        this.why.rungs.map((rung) => {
          const [name, sign, word] = looks[rung.verdict] ?? looks['-'];
          return h(
            'li',
            { class: name },
            sign(),
            h('b', {}, capital(rung.name)),
            h('span', {}, h('span', { class: 'vh' }, `${word}: `), rung.text),
          );
        }),
      ),
    );
  }

  nearest() {
    const { candidates } = this.why;
    if (!candidates?.length) return null;
    return panel(
      this.missed ? 'Nearest recordings' : 'Recordings that came into question',
      String(candidates.length),
      null,
      table({
        class: 'near',
        caption: 'Recordings of the same call',
        rows: candidates,
        mark: (c) => (c.served ? 'taken' : c === candidates[0] && this.missed ? 'one' : ''),
        columns: [
          {
            head: 'Recording',
            row: true,
            class: 'nw',
            cell: (c) => recording(this.app, c.exchange),
          },
          { head: 'State there', cell: (c) => [c.state, c.equal && note(' (equal)')] },
          { head: 'Differs in', cell: (c) => differs(c) },
          {
            head: this.missed ? 'Would have answered' : 'Answers',
            cell: (c) => [c.answers, c.served && h('b', {}, ' served')],
          },
        ],
      }),
    );
  }

  compared() {
    const { compared } = this.why;
    if (!compared?.length) return null;
    return panel(
      'Request as compared',
      '',
      button('Copy as curl', 'y c', this.copies['y c'][1]),
      table({
        class: 'ft',
        caption: 'Fields of the request, as replay looks at them',
        rows: compared,
        mark: (c) => (c.differs ? 'one' : ''),
        columns: [
          { head: 'Field', row: true, class: 'f', cell: (c) => c.path },
          { head: 'Sent', cell: (c) => h('span', { class: 'k' }, c.sent ?? '') },
          {
            head: 'What it is for',
            cell: (c) => [c.role, c.row && note(` ${c.row}`), c.differs && h('b', {}, ' differs')],
          },
        ],
      }),
    );
  }

  mends() {
    const { mends } = this.why;
    if (!mends?.length) return null;
    return panel(
      this.missed ? 'What would mend it' : 'What would make it certain',
      'nothing is changed by itself',
      null,
      mends.map((mend, i) =>
        h(
          'div',
          { class: 'fix' },
          h('span', { class: 'n' }, String(i + 1)),
          h('span', {}, mend.text),
          mend.code
            ? button('Copy', mend === this.ruleMend() && 'y r', () =>
                this.app.copy(mend.code, `mend ${i + 1}`),
              )
            : h('span'),
          mend.code && copyBox(mend.code, `Mend ${i + 1}`),
        ),
      ),
    );
  }

  ruleMend() {
    return this.why.mends?.find((mend) => mend.code && ['rules', 'profile'].includes(mend.kind));
  }

  states() {
    const { before, after } = this.why;
    if (!before && !after) return null;
    return panel(
      'State',
      '',
      null,
      h(
        'div',
        { class: 'pad' },
        pairs([
          ['Before', before],
          ['After', after === before ? 'the same' : after],
        ]),
      ),
    );
  }

  got() {
    const answer = this.exchange?.response;
    if (!answer) return null;
    return panel(
      'What the client got',
      `${answer.line ?? ''} ${answer.media ?? ''}`,
      null,
      h(
        'div',
        { class: 'pad' },
        copyBox(answer.pretty || answer.body || '(no body)', 'What the client got'),
      ),
    );
  }

  same() {
    if (!this.missed) return null;
    const reasons = Object.entries(this.app.status?.reasons ?? {}).map(([reason, n]) => [
      h('b', {}, `${reason} ${n}`),
      ' ',
    ]);
    return panel(
      'The same miss in this run',
      '',
      null,
      h(
        'div',
        { class: 'pad' },
        h(
          'p',
          {},
          `${counted(this.why.same ?? 1, 'time')}. `,
          reasons.length > 0 && ['Misses by reason: ', reasons],
        ),
        h('p', { class: 't2' }, 'With ', h('code', {}, '--strict'), ' each miss fails the run.'),
      ),
    );
  }

  keys() {
    const mend = this.ruleMend();
    return {
      x: ['the exchange', () => this.app.navigate(`x/${this.why.row.id}`)],
      ...this.copies,
      ...(mend && {
        'y r': [
          'copy the rows that would mend it',
          () => this.app.copy(mend.code, 'rows of a rules file'),
        ],
      }),
      'y j': ['copy as JSON', () => this.app.copy(JSON.stringify(this.why, null, 2), 'JSON')],
    };
  }
}

/** Where the reader is: the traffic, the flow, the exchange. */
function crumbs(app, row) {
  return app.crumbs([
    ['Traffic', ''],
    ...(row.group ? [[clip(row.who?.label || row.group, 40), `flow/${row.group}`]] : []),
    [`#${row.id}`, `x/${row.id}`],
  ]);
}

function capital(word) {
  return word ? word[0].toUpperCase() + word.slice(1) : '';
}

function note(text) {
  return h('span', { class: 't2' }, text);
}

function differs(candidate) {
  if (!candidate.differs?.length) return note('nothing');
  return candidate.differs.map((d) =>
    h(
      'div',
      { class: 'delta' },
      h('span', { class: 'm' }, d.path),
      ' ',
      note(d.problem),
      ' ',
      h('b', { class: 'm' }, d.tape || 'missing'),
      note(' sent '),
      h('b', { class: 'm' }, d.sent || 'nothing'),
    ),
  );
}

/** A link to the tape of a recording: "checkout#4". */
function recording(app, exchange) {
  const [tape] = exchange.split('#');
  return h('a', { href: app.href(`tape/${encodeURIComponent(tape)}`) }, exchange);
}
