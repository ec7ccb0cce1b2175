import { h } from '../dom.js';
import { clip, shortMask } from '../format.js';
import { button, panel, verdict } from '../parts.js';
import { table } from '../parts/tables.js';

/**
 * The steps of a comparison that differ, as indexes: what was sent or what was answered.
 * @param {{steps: object[]}} comparison of view.Comparison
 * @returns {number[]}
 */
export function differences(comparison) {
  return comparison.steps.map((_, i) => i).filter((i) => differs(comparison.steps[i]));
}

function differs(step) {
  return (
    !step.a ||
    !step.b ||
    Boolean(step.sent?.length) ||
    Boolean(step.answered?.length) ||
    step.outcomeA?.words !== step.outcomeB?.words
  );
}

/**
 * What a diagram says of the rows of the first flow.
 * @param {object} comparison of view.Comparison
 * @returns {Map<number, string>} by the id of the row
 */
export function marks(comparison) {
  const found = new Map();
  const mark = (index, text) => {
    const id = comparison.steps[index]?.a;
    if (id) found.set(id, [found.get(id), text].filter(Boolean).join('; '));
  };
  const sent = comparison.steps[comparison.firstSent]?.sent ?? [];
  mark(comparison.firstSent, `first sent otherwise: ${sent.map((d) => d.path).join(', ')}`);
  mark(comparison.firstAnswered, 'first answer that differs');
  return found;
}

/**
 * Shows two flows side by side: which step differs, and in what.
 * @param {object} comparison of view.Comparison
 * @param {{other: () => void, open: (step: object) => void}} acts
 */
export function comparisonPanel(comparison, acts) {
  const { a, b } = comparison;
  const rows = comparison.steps.map((step, i) => ({ ...step, index: i }));
  return panel(
    `Compare with ${name(b)}`,
    verdict(b.outcome),
    button('Other', 'c', acts.other),
    h('div', { class: 'pad' }, h('p', {}, comparison.sentence)),
    table({
      class: 'cmpt',
      caption: `${name(a)} and ${name(b)}, step by step`,
      rows,
      mark: (step) => (first(comparison, step.index) ? 'f' : ''),
      columns: [
        { head: 'Step', class: 'm', cell: (step) => String(step.index + 1) },
        { head: 'Operation', row: true, cell: (step) => operation(comparison, step, acts.open) },
        { head: name(a), cell: (step) => side(step, 'a') },
        { head: name(b), cell: (step) => side(step, 'b') },
      ],
    }),
    h(
      'div',
      { class: 'pad acts' },
      h('span', {}, h('kbd', {}, '['), ' ', h('kbd', {}, ']'), ' previous, next difference'),
      comparison.folded > 0 &&
        h('span', { class: 'dim' }, `${comparison.folded} values fresh in each are folded`),
    ),
  );
}

function name(group) {
  return clip(group.who?.label || group.id, 24);
}

function first(comparison, index) {
  return index === comparison.firstSent || index === comparison.firstAnswered;
}

function operation(comparison, step, open) {
  const note = {
    [comparison.firstAnswered]: 'first answer that differs',
    [comparison.firstSent]: 'first sent otherwise',
  }[step.index];
  return h(
    'button',
    {
      type: 'button',
      class: 'plain',
      data: { step: String(step.index) },
      on: { click: () => open(step) },
    },
    step.operation,
    note && h('span', { class: 't2 line' }, note),
  );
}

const shown = 4; // differences of a step; the exchanges have all of them

/** What one of two flows has in a step: its outcome, its differing values, or that it agrees. */
function side(step, which) {
  if (!step[which]) return h('span', { class: 'dim' }, 'not asked');
  if (!differs(step)) return h('span', { class: 'dim' }, 'agrees');
  const deltas = [...(step.sent ?? []), ...(step.answered ?? [])];
  const words = which === 'a' ? step.outcomeA : step.outcomeB;
  const told = step.outcomeA?.words !== step.outcomeB?.words;
  return [
    told && verdict(words),
    deltas.slice(0, shown).map((d) =>
      h(
        'div',
        { class: 'delta' },
        h('span', { class: 't2', title: d.path }, d.path.split('.').at(-1)),
        ' ',
        h('span', { class: 'm' }, shortMask(d[which] || 'missing')),
      ),
    ),
    deltas.length > shown && h('div', { class: 't2' }, `and ${deltas.length - shown} more`),
    deltas.length === 0 && !told && (verdict(words) ?? 'asked'),
  ];
}
