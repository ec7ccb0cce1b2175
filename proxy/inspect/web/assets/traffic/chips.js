// Chips above the list: how many rows there are of each kind, and a filter for each.

import { h, replace } from '../dom.js';
import { filters } from '../filters.js';
import { number } from '../format.js';

const chips = [
  ['', 'all', 'all', ''],
  ['bad', 'declined', 'declined', filters.declined],
  ['miss', 'misses', 'misses', filters.misses],
  ['mark', 'marked', 'marked', filters.marked],
  ['rule', 'ruled', 'rules fired', filters.ruled],
  ['bad', 'failed', 'failed', filters.failed],
  ['call', 'callbacks', 'callbacks', filters.callbacks],
];

/** Makes the group of chips. apply(filter) is called when one is pressed. */
export function makeChips(apply) {
  const element = h('div', { class: 'chips', role: 'group', aria: { label: 'Show only' } });
  const buttons = chips.map(([kind, count, text, filter]) => {
    const n = h('b', {});
    const more = h('span', {});
    const button = h(
      'button',
      { type: 'button', class: `chip ${kind}`, on: { click: () => apply(filter) } },
      h('span', {}, text, ' ', n, more),
    );
    return { button, n, more, count, filter };
  });
  replace(
    element,
    buttons.map(({ button }) => button),
  );
  return {
    element,

    /** Shows counts, and which filter is in force. */
    draw(counts, q) {
      for (const { button, n, more, count, filter } of buttons) {
        n.textContent = number(counts[count] ?? 0);
        button.setAttribute('aria-pressed', String(filter === q));
        button.hidden = count === 'failed' && !counts.failed && filter !== q;
        more.textContent =
          count === 'callbacks' && counts.refused ? `, ${counts.refused} refused` : '';
      }
    },
  };
}
