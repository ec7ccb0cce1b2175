import { h, icon } from '../dom.js';
import { clock } from '../format.js';
import { panel } from '../parts.js';

/**
 * The callbacks of a flow with their attempts; null if it has none.
 * @param {object[]} rows of view.Row
 * @param {(row: object) => string} address where the exchange of a row is shown
 */
export function attemptsPanel(rows, address) {
  const callbacks = Map.groupBy(
    rows.filter((row) => row.callback),
    (row) => row.callback,
  );
  if (callbacks.size === 0) return null;
  return panel(
    'Callbacks',
    h('span', { class: 'count' }, callbacks.size),
    null,
    h(
      'div',
      { class: 'pad' },
      [...callbacks].map(([number, attempts]) => [
        h(
          'p',
          {},
          h('a', { href: address(attempts[0]) }, `c${number}`),
          ' ',
          h('b', {}, attempts[0].operation ?? ''),
          ' ',
          attempts.at(-1).outcome?.words ?? '',
        ),
        h(
          'div',
          { class: 'att' },
          attempts.map((row) => [
            pip(row.code, row.outcome?.tone),
            h('span', {}, `try ${row.attempt ?? 1}`),
            h('span', { class: 't2' }, row.outcome?.words ?? row.callbackOutcome ?? ''),
            h('span', { class: 'dim' }, clock(row.at)),
          ]),
        ),
      ]),
    ),
  );
}

/**
 * A small box for an attempt: what the shop answered, with a sign for whether it took it.
 * @param {number} code 0 for no answer
 * @param {string} [tone] of view.Tone
 */
export function pip(code, tone) {
  const [name, sign] = { good: ['ok', 'ok'], bad: ['no', 'no'] }[tone] ?? ['wait', null];
  return h('span', { class: `pip ${name}` }, sign && icon(sign), code ? String(code) : 'none');
}
