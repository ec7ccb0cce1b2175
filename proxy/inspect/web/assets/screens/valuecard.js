import { api } from '../api.js';
import { h } from '../dom.js';
import { keyCap, value } from '../parts.js';
import { pairs } from '../parts/tables.js';

const delay = 250; // milliseconds that a pointer rests on a field before its card opens

/**
 * The card that tells of a value: where it was born, where it is used, and which row of a profile
 * speaks of it. It opens for the field that has the focus or the pointer, stays while the pointer is
 * on it, and closes with Escape.
 */
export class ValueCard {
  /**
   * @param {object} app of app.js
   * @param {number} id of the exchange
   */
  constructor(app, id) {
    this.app = app;
    this.id = id;
    this.asked = new Map(); // field: promise of its view.Value
    this.at = null; // {element, button, cell} of the field that has the card
    this.told = null; // view.Value of that field
  }

  /**
   * Opens the card beside a field.
   * @param {{side: string, path: string}} place
   * @param {object} field of view.Field
   * @param {{element: Element, button: Element, cell: Element}} at
   */
  async open(place, field, at) {
    clearTimeout(this.timer);
    if (this.card && this.at.element === at.element) return;
    this.close();
    this.at = at;
    at.element.classList.add('sel');
    const told = await this.ask(place);
    if (this.at !== at || !told) return;
    this.told = told;
    this.place = place;
    this.card = h(
      'div',
      { class: 'hov', id: 'hov', role: 'group', aria: { label: `Value of ${place.path}` } },
      content(this.app, told, field),
    );
    at.cell.append(this.card);
    at.button.setAttribute('aria-expanded', 'true');
    at.button.setAttribute('aria-describedby', 'hov');
    this.card.addEventListener('mouseenter', () => clearTimeout(this.timer));
    at.element.addEventListener('keydown', this.escape);
    if (at.element.getBoundingClientRect().bottom + this.card.offsetHeight > innerHeight - 40) {
      this.card.classList.add('above');
    }
  }

  ask({ side, path }) {
    const key = `${side} ${path}`;
    if (!this.asked.has(key)) {
      this.asked.set(
        key,
        api.get('values', { id: this.id, side, path }).catch(() => null),
      );
    }
    return this.asked.get(key);
  }

  openSoon(open) {
    clearTimeout(this.timer);
    this.timer = setTimeout(open, delay);
  }

  closeSoon() {
    clearTimeout(this.timer);
    if (this.at?.element.contains(document.activeElement)) return;
    this.timer = setTimeout(() => this.close(), delay);
  }

  escape = (event) => {
    if (event.key !== 'Escape' || !this.card) return;
    event.preventDefault(); // the first Escape closes the card, the second leaves the screen
    this.card.remove();
    this.card = null;
  };

  close() {
    if (!this.at) return;
    const { element, button } = this.at;
    element.classList.remove('sel');
    element.removeEventListener('keydown', this.escape);
    button.setAttribute('aria-expanded', 'false');
    button.removeAttribute('aria-describedby');
    this.card?.remove();
    this.card = this.at = this.told = null;
  }

  /** Goes to the place where the value was born. */
  goToBirth() {
    if (!this.told) return this.app.say('Choose a field first.');
    if (!this.told.born) return this.app.say('The value was not born in this flow.');
    return this.goTo(this.told.born);
  }

  /** Goes to the next use of the value, or to the one before. */
  goToUse(step) {
    if (!this.told) return this.app.say('Choose a field first.');
    const places = [this.told.born, ...this.told.used].filter(Boolean);
    const here = places.findIndex(
      (use) => use.id === this.id && use.side === this.place.side && use.path === this.place.path,
    );
    const next = places[(here + step + places.length) % places.length];
    return next ? this.goTo(next) : this.app.say('The value is not used elsewhere.');
  }

  goTo({ id, side, path }) {
    return this.app.navigate(address(id, side, path));
  }
}

function address(id, side, path) {
  return `x/${id}?${new URLSearchParams({ side, path })}`;
}

function content(app, told, field) {
  const link = (use) =>
    h('a', { href: app.href(`x/${use.id}`, { side: use.side, path: use.path }) }, `#${use.id}`);
  const born = told.born && [
    link(told.born),
    ` ${told.born.what}, ${told.born.side} `,
    h('code', {}, told.born.path),
  ];
  return [
    h(
      'div',
      {},
      h('b', {}, told.noun || field.path),
      ', ',
      value(told.kind, told.kind),
      `: ${told.says}`,
    ),
    pairs([
      ['On tape', told.tape && h('span', { class: 'm' }, told.tape)],
      ['Here', told.text && h('span', { class: 'm' }, told.text)],
      ['Born in', born],
      ['Used in', told.used?.length > 0 && h('ol', {}, uses(told.used, link))],
    ]),
    told.row && h('div', { class: 't2' }, 'Row ', h('code', {}, told.row)),
    h(
      'div',
      { class: 'acts t2' },
      h('span', {}, keyCap('b'), ' birth'),
      h('span', {}, keyCap('n'), ' ', keyCap('N'), ' next, previous use'),
      h('span', {}, keyCap('Escape'), ' close'),
    ),
  ];
}

/** Uses, one line for each field: "#28, #30 request MDORDER". */
function uses(all, link) {
  const byField = Map.groupBy(all, (use) => `${use.side} ${use.path} ${use.how ?? ''}`);
  return [...byField.values()].map((same) =>
    h(
      'li',
      {},
      same.map((use, i) => [i > 0 && ', ', link(use)]),
      ` ${same[0].side} `,
      h('code', {}, same[0].path),
      same[0].how && `, ${same[0].how}`,
    ),
  );
}
