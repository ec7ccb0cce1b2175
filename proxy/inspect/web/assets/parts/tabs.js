import { h, replace } from '../dom.js';
import { keyCap } from '../parts.js';

/**
 * Makes tabs. The content of a tab is made when the tab is first opened.
 * @param {string} label
 * @param {{name: string, text: string, key?: string, count?: number,
 *   content: () => Node | Promise<Node>}[]} all
 * @param {string} first the name of the tab that is open
 * @param {(name: string) => void} opened is told when a reader opens a tab
 * @returns {{list: Element, body: Element, open: (name: string) => void, ready: Promise<void>}}
 *   ready is over when the first tab is there
 */
export function tabs(label, all, first, opened = () => {}) {
  const made = new Map();
  let current = '';
  const body = h('div', { class: 'tabbody', role: 'tabpanel', id: 'tabpanel' });
  const heads = all.map((tab) =>
    h(
      'button',
      {
        type: 'button',
        role: 'tab',
        id: `tab-${tab.name}`,
        aria: { controls: 'tabpanel' },
        on: { click: () => open(tab.name), keydown: (event) => walk(event, tab) },
      },
      tab.text,
      tab.key && keyCap(tab.key),
      tab.count !== undefined && h('span', { class: 'count' }, tab.count),
    ),
  );
  const list = h('div', { class: 'tabs', role: 'tablist', aria: { label } }, heads);

  function walk(event, tab) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = (all.indexOf(tab) + step + all.length) % all.length;
    open(all[next].name);
    heads[next].focus();
  }

  async function draw(name) {
    current = name;
    all.forEach((tab, i) => {
      heads[i].setAttribute('aria-selected', String(tab.name === name));
      heads[i].setAttribute('tabindex', tab.name === name ? '0' : '-1');
    });
    body.setAttribute('aria-labelledby', `tab-${name}`);
    if (!made.has(name)) made.set(name, all.find((tab) => tab.name === name).content());
    const content = await made.get(name);
    if (current === name) replace(body, content);
  }

  function open(name) {
    opened(name);
    return draw(name);
  }

  const ready = draw(all.some((tab) => tab.name === first) ? first : all[0].name);
  return { list, body, open, ready };
}
