// What several screens show: shapes of steps, verdicts, tags, buttons with their keys.

import { h, icon, svg } from './dom.js';
import { clip, shortMask } from './format.js';

// Lists show the beginning of a text. The exchange has the whole of it.
const listed = 300;

// A shape for each sign, in a field of 10 by 12. Shapes tell the signs apart without colour.
const shapes = {
  hit: (x) => [svg('rect', { class: 'h', x, y: 2, width: 8, height: 8, rx: 1 })],
  marked: (x) => [svg('circle', { class: 'mk', cx: x + 4, cy: 6, r: 3.2 })],
  rule: (x) => [svg('path', { class: 'ru', d: `M${x + 4} 2.2l3.6 7h-7.2z` })],
  callback: (x) => [svg('path', { class: 'cb', d: `M${x + 4} 1l5 5-5 5-5-5z` })],
  declined: (x) => [svg('path', { class: 'dx', d: `M${x + 0.5} 2.5l7 7m0-7l-7 7` })],
  miss: (x) => [
    svg('path', { class: 'x', d: `M${x} 0h8v12h-8z` }),
    svg('path', { class: 'xi', d: `M${x + 4} 2.5v4M${x + 4} 8.8v.4` }),
  ],
  failed: (x) => [
    svg('path', { class: 'fl', d: `M${x + 1} 1h6v10h-6zM${x + 4} 3.2v3M${x + 4} 8.6v.2` }),
  ],
  waits: (x) => [svg('rect', { class: 'w', x: x + 1, y: 3, width: 6, height: 6 })],
  note: (x) => [svg('circle', { class: 'h', cx: x + 4, cy: 6, r: 1.6 })],
};

/** The signs with their words, as a legend lists them. */
export const signs = ['hit', 'marked', 'rule', 'callback', 'declined', 'miss', 'failed', 'waits'];

/** Draws one sign. */
export function shape(sign) {
  return svg(
    'svg',
    { class: 'steps one', viewBox: '-1 0 11 12', aria: { hidden: 'true' } },
    shapes[sign]?.(0),
  );
}

/** Draws the signs of a flow side by side; its name tells them in words. */
export function steps(list) {
  const shown = list.slice(0, 12);
  const rest = list.length - shown.length;
  return h(
    'span',
    { class: 'strip' },
    svg(
      'svg',
      {
        class: 'steps',
        viewBox: `-1 0 ${shown.length * 10.5 + 1} 12`,
        width: shown.length * 10.5 + 1,
        height: 12,
        role: 'img',
        aria: { label: list.join(', ') },
      },
      shown.map((sign, i) => shapes[sign]?.(i * 10.5)),
    ),
    rest > 0 && h('span', { class: 'codes' }, `+${rest}`),
  );
}

const toneClass = { good: 'good', bad: 'bad', waits: 'wait' };
const toneIcon = { good: 'ok', bad: 'no', waits: 'wait' };

/** Shows an outcome: icon by its tone, words, codes small behind. */
export function verdict(outcome) {
  if (!outcome?.words) return null;
  const tone = outcome.tone ?? '';
  return h(
    'span',
    { class: `v ${toneClass[tone] ?? 'plain'}` },
    toneIcon[tone] && icon(toneIcon[tone]),
    h(
      'span',
      { title: clip(outcome.fields ?? '', listed) },
      clip(outcome.words, listed),
      outcome.codes && h('span', { class: 'codes' }, clip(outcome.codes, 40)),
    ),
  );
}

/** Makes a tag: kind is "miss", "mark", "rule", "call", "bad", "good" or "off". */
export function tag(kind, text, iconName) {
  return h('span', { class: `tag ${kind}` }, iconName && icon(iconName), text);
}

/** Says why a request was missed: a filled tag, and the fields in question behind. */
export function miss(row) {
  return [
    tag('miss', `miss: ${row.reason || 'unknown'}`),
    row.fields?.length > 0 && h('code', {}, clip(row.fields.join(', '), listed)),
  ];
}

/** Names what an exchange is about: label and mask of the card. */
export function who(one, fallback = 'outside any order') {
  const label = one?.label || one?.kind || fallback;
  return [
    h('b', {}, clip(label, listed)),
    one?.card && h('span', { class: 'm t2' }, shortMask(clip(one.card, 40))),
  ];
}

/** Shows a value by its kind ("fresh", "echo", "moved", "mask", "constant", "redacted"). */
export function value(kind, text, props) {
  return h('span', { ...props, class: `k k-${kind} ${props?.class ?? ''}` }, text);
}

/** Shows keys to press: keyCap('y c') is two caps. */
export function keyCap(sequence) {
  return sequence.split(' ').map((key) => h('kbd', {}, keyNames[key] ?? key));
}

const keyNames = {
  ArrowUp: '\u2191',
  ArrowDown: '\u2193',
  ArrowLeft: '\u2190',
  ArrowRight: '\u2192',
  Escape: 'Esc',
};

/** Makes a button with the key that does the same. */
export function button(text, key, click, props) {
  return h('button', { type: 'button', ...props, on: { click } }, text, key && keyCap(key));
}

/** Makes a link that looks like a button. */
export function linkButton(text, key, href, props) {
  return h('a', { ...props, class: `btn ${props?.class ?? ''}`, href }, text, key && keyCap(key));
}

/** Shows a text that is meant for copying. The box takes focus, so that it scrolls by keys. */
export function copyBox(text, label) {
  return h('pre', { class: 'copy', tabindex: 0, role: 'region', aria: { label } }, text);
}

/** Makes a panel with a head: title, small words behind, and what stands at the right. */
export function panel(title, small, right, ...children) {
  return h(
    'section',
    { class: 'panel' },
    h(
      'header',
      {},
      h('h2', {}, title),
      small && h('span', { class: 't2' }, small),
      h('span', { class: 'sp' }),
      right,
    ),
    ...children,
  );
}
