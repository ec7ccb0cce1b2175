import { h } from '../dom.js';
import { value } from '../parts.js';
import { Rove } from '../parts/rove.js';
import { written } from '../parts/values.js';

const deepest = 4; // levels that are indented

/**
 * A table of the fields of a message, live and on tape side by side. The name of each field is a
 * button: with the focus or the pointer on it, a card tells of its value.
 */
export class FieldTable {
  /**
   * @param {object[]} fields of view.Field
   * @param {import('./valuecard.js').ValueCard} card
   * @param {{side: string, caption: string, columns: ['live' | 'tape', string][]}} options
   */
  constructor(fields, card, { side, caption, columns }) {
    this.card = card;
    this.side = side;
    this.columns = columns;
    this.rows = [];
    const body = h('tbody', {}, this.fill(fields));
    this.rove = new Rove(this.rows.map((row) => row.button));
    this.element = h(
      'div',
      { class: 'fields' },
      h(
        'table',
        { class: 'ft' },
        h('caption', { class: 'vh' }, caption),
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            h('th', { scope: 'col' }, 'Field'),
            columns.map(([, head]) => h('th', { scope: 'col' }, head)),
            h('th', { scope: 'col' }, 'Kind'),
          ),
        ),
        body,
      ),
      fields.length === 0 && h('p', { class: 'pad t2' }, 'no fields'),
    );
  }

  /** Makes the rows; fields of one object stand under its name. */
  fill(fields) {
    let parent = '';
    const all = [];
    for (const field of fields) {
      const at = field.depth > 0 ? field.path.lastIndexOf('.') : -1;
      const mine = at > 0 ? field.path.slice(0, at) : '';
      if (mine && mine !== parent) {
        all.push(
          h(
            'tr',
            { class: 'grp', data: { parent: mine } },
            h('td', { class: 'f', colspan: this.columns.length + 2 }, mine),
          ),
        );
      }
      parent = mine;
      const row = this.row(field, at > 0 ? field.path.slice(at + 1) : field.path, mine);
      this.rows.push(row);
      all.push(row.element);
    }
    this.groups = all.filter((element) => element.classList.contains('grp'));
    return all;
  }

  row(field, name, parent) {
    const indent = parent ? ` in${Math.min(field.depth, deepest)}` : '';
    const button = h(
      'button',
      {
        type: 'button',
        class: 'plain',
        aria: { label: field.path, expanded: 'false' },
      },
      name,
    );
    const last = h('td', { class: 'kd' }, field.kind);
    const element = h(
      'tr',
      { class: `${field.kind === 'constant' ? 'cst' : ''}${field.differs ? ' one' : ''}` },
      h(
        'th',
        { scope: 'row', class: `f${indent}` },
        button,
        field.place &&
          !['form', 'json'].includes(field.place) &&
          h('span', { class: 'codes' }, field.place),
      ),
      this.columns.map(([which]) => h('td', {}, cell(field, which))),
      last,
    );
    const place = { side: this.side, path: field.path };
    const open = () => this.card.open(place, field, { element, button, cell: last });
    button.addEventListener('focus', open);
    button.addEventListener('click', open);
    element.addEventListener('mouseenter', () => this.card.openSoon(open));
    element.addEventListener('mouseleave', () => this.card.closeSoon());
    return { field, element, button, parent, open };
  }

  /** Hides fields, and the names of objects of which nothing is left. */
  filter(visible) {
    for (const row of this.rows) row.element.hidden = !visible(row.field);
    for (const group of this.groups) {
      group.hidden = !this.rows.some(
        (row) => row.parent === group.dataset.parent && !row.element.hidden,
      );
    }
    this.rove.settle();
  }

  /** Gives the focus to a field and opens its card, also in a window that is not in front. */
  focus(path) {
    const row = this.rows.find((one) => one.field.path === path);
    row?.button.focus();
    row?.open();
  }
}

/** A value live or on tape, with its human form beside the live one. */
function cell(field, which) {
  const has = which === 'live' ? field.hasLive : field.hasTape;
  if (!has) return h('span', { class: 'dim' }, 'not there');
  const text = value(field.kind, written(field[which] ?? '', field.type));
  return which === 'live' && field.human
    ? [text, ' ', h('span', { class: 't2' }, field.human)]
    : text;
}
