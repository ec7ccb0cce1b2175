import { h } from '../dom.js';

/**
 * Makes a table. A column is {head, class, cell}, and cell(row) gives the content of a cell. A
 * column with `row: true` names the row.
 * @param {{class?: string, caption: string, columns: object[], rows: object[],
 *   mark?: (row: object) => string}} options mark gives the class of a row
 */
export function table({ class: name, caption, columns, rows, mark = () => '' }) {
  const head = (c) => h('th', { scope: 'col', class: c.class }, c.head);
  const cell = (c, row) =>
    c.row
      ? h('th', { scope: 'row', class: c.class }, c.cell(row))
      : h('td', { class: c.class }, c.cell(row));
  return h(
    'table',
    { class: name },
    h('caption', { class: 'vh' }, caption),
    h('thead', {}, h('tr', {}, columns.map(head))),
    h(
      'tbody',
      {},
      rows.map((row) =>
        h(
          'tr',
          { class: mark(row) },
          columns.map((c) => cell(c, row)),
        ),
      ),
    ),
  );
}

/**
 * Makes a panel's body that scrolls and takes the focus, so that it scrolls by keys.
 * @param {string} label
 * @param {...(Node | string)} content
 */
export function scrolling(label, ...content) {
  return h(
    'section',
    { class: 'panel scroll', tabindex: 0, role: 'region', aria: { label } },
    content,
  );
}

/**
 * Makes pairs of a word and what it stands for. Pairs of which the second is missing are left out.
 * @param {[string | Node, (Node | string | null)][]} list
 */
export function pairs(list) {
  return h(
    'dl',
    { class: 'kv' },
    list.filter(([, text]) => text).map(([word, text]) => [h('dt', {}, word), h('dd', {}, text)]),
  );
}
