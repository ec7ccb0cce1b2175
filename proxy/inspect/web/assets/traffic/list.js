// A list of any length, of which the page holds the lines in sight. A scroller has the height of the
// whole list; lines are placed into it where they belong, and the server cuts the window.

import { h } from '../dom.js';
import { columns } from './row.js';

const beyond = 4; // lines that are drawn above and below those in sight
const ahead = 40; // lines that are asked for around those in sight
const pace = 250; // milliseconds between two refreshes

export class List {
  /**
   * Makes a list. Options: load(at, n) resolves to a view.Window; draw(line) returns an
   * element; selected(line) hears that a line was selected, and by whom ("user" or "page");
   * moved() hears that the reader has scrolled; act(name, line) hears clicks on parts of a line
   * with data-act, double clicks as "open", and others as "touch"; failed(error) hears that a
   * window did not come.
   */
  constructor(options) {
    this.options = options;
    this.lines = new Map(); // index: line
    this.drawn = new Map(); // key: {element, signature}
    this.total = 0;
    this.selected = null; // {key, index, line}
    this.generation = 0;
    this.refreshed = 0;
    this.rows = h('div', { class: 'rows', role: 'rowgroup' });
    this.scroller = h('div', { class: 'scroller', role: 'presentation' }, this.rows);
    this.element = h(
      'div',
      {
        class: 'list',
        role: 'treegrid',
        tabindex: 0,
        data: { keys: '' },
        aria: { label: 'Exchanges by order, newest order first', rowcount: -1 },
      },
      h(
        'div',
        { role: 'rowgroup' },
        h(
          'div',
          { class: 'r hd', role: 'row', aria: { rowindex: 1 } },
          columns.map(([name, text]) => h('span', { class: name, role: 'columnheader' }, text)),
        ),
      ),
      this.scroller,
    );
    this.empty = h('p', { class: 'empty', hidden: true });
    this.element.append(this.empty);
    this.scroller.addEventListener('scroll', () => this.onScroll());
    this.rows.addEventListener('click', (event) => this.onClick(event, 'select'));
    this.rows.addEventListener('dblclick', (event) => this.onClick(event, 'open'));
    this.resizer = new ResizeObserver(() => this.onResize());
  }

  /** Begins to follow its own size, when it stands in the page. */
  start() {
    this.measure();
    this.resizer.observe(this.scroller);
  }

  /** Lets go of everything. */
  stop() {
    this.stopped = true;
    this.resizer.disconnect();
    clearTimeout(this.timer);
  }

  /** Forgets all lines, as the filter has changed, and goes to the top. */
  async reset() {
    this.generation++;
    this.lines.clear();
    this.scroller.scrollTop = 0;
    await this.fetch();
  }

  /** Asks for the lines in sight again: at once, or when the last refresh is some time ago. */
  refresh({ soon = false } = {}) {
    if (!soon) return this.fetch();
    this.timer ??= setTimeout(
      () => {
        this.timer = undefined;
        this.fetch();
      },
      Math.max(0, this.refreshed + pace - performance.now()),
    );
    return undefined;
  }

  /** Goes so many lines down (or up), from the selected line or from above the first in sight. */
  async move(by) {
    const from = this.selected?.index ?? this.range().first - 1;
    const line = await this.line(Math.max(0, Math.min(this.total - 1, from + by)));
    if (line) this.select(line);
  }

  /** Goes to the next flow (1), or to that before (-1). */
  async moveGroup(by) {
    let index = (this.selected?.index ?? -1) + by;
    while (index >= 0 && index < this.total) {
      const line = await this.line(index);
      if (!line) return;
      if (line.level === 1) return this.select(line);
      index += by;
    }
  }

  /** Goes to the flow of the selected row. */
  async moveToGroup() {
    if (this.selected?.line.level === 2) await this.moveGroup(-1);
  }

  /** Returns a line by its place, from what is known or from the server. */
  async line(index) {
    if (!this.lines.has(index) && index < this.total) {
      this.take(await this.options.load(Math.max(0, index - ahead), 2 * ahead));
    }
    return this.lines.get(index);
  }

  /** Looks for a row or a flow by its name ("52", "g12") around some lines, and selects it. */
  async find(key, at, n) {
    const window = await this.options.load(Math.max(0, at - ahead), n + 2 * ahead);
    this.take(window);
    const line = window.lines.find((one) => keyOf(one) === key);
    if (line) this.select(line, 'page');
    return Boolean(line);
  }

  /** Selects a line and brings it into sight. */
  select(line, by = 'user') {
    this.selected = { key: keyOf(line), index: line.index, line };
    const top = line.index * this.height;
    const room = this.scroller.clientHeight - this.height;
    const down = top - this.scroller.scrollTop;
    if (down < -room || down > 2 * room)
      this.scrollTo(top - room / 2); // far away: into the middle
    else if (down < 0) this.scrollTo(top);
    else if (down > room) this.scrollTo(top - room);
    this.draw();
    this.options.selected(line, by);
  }

  /** Selects nothing. */
  clear() {
    this.selected = null;
    this.draw();
  }

  /** Puts the focus on the selected line, or on the list. */
  focus() {
    const drawn = this.selected && this.drawn.get(this.selected.key);
    (drawn?.element ?? this.element).focus({ preventScroll: true });
  }

  get atTop() {
    return this.scroller.scrollTop < this.height;
  }

  // Scrolling by the page is not scrolling by the reader.
  scrollTo(top) {
    this.scrolledTo = Math.round(top);
    this.scroller.scrollTop = top;
  }

  onScroll() {
    if (Math.abs(this.scroller.scrollTop - (this.scrolledTo ?? -1)) > 1) this.options.moved();
    this.scrolledTo = undefined;
    this.soon();
  }

  onResize() {
    const first = this.scroller.scrollTop / this.height;
    const before = this.height;
    this.measure();
    if (before !== this.height) this.scrollTo(first * this.height);
    this.soon();
  }

  onClick(event, name) {
    const element = event.target.closest('.r');
    const line = element && this.lines.get(element.ariaRowIndex - 2);
    if (!line) return;
    const act = event.target.closest('[data-act]')?.dataset.act;
    if (act && name === 'select') return this.options.act(act, line);
    if (act) return undefined; // the second click of two on the triangle
    if (name === 'open') return this.options.act('open', line);
    this.select(line);
    this.focus();
    return this.options.act('touch', line);
  }

  measure() {
    this.height = parseInt(getComputedStyle(this.element).getPropertyValue('--row'), 10);
  }

  range() {
    const first = Math.floor(this.scroller.scrollTop / this.height);
    const count = Math.ceil(this.scroller.clientHeight / this.height) + 1;
    return { first, last: Math.min(this.total, first + count), count };
  }

  // Draws once a frame, however much has come.
  soon() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      if (!this.stopped) this.draw();
    });
  }

  // Asks for the window around what is in sight. One request is under way at a time; if the reader
  // has gone on meanwhile, another follows.
  async fetch() {
    this.stale = true;
    if (this.fetching) return this.fetching;
    this.fetching = this.fetchAll().catch((error) => this.options.failed(error));
    await this.fetching;
    this.fetching = undefined;
    return undefined;
  }

  async fetchAll() {
    while (this.stale && !this.stopped) {
      this.stale = false;
      this.refreshed = performance.now();
      const { generation } = this;
      const { first, count } = this.range();
      const window = await this.options.load(Math.max(0, first - ahead), count + 2 * ahead);
      if (generation === this.generation && this.inSight(window)) this.take(window);
      else this.stale = true;
    }
  }

  // Says whether a window is still about what the reader looks at. A list that has become shorter
  // than where the window begins is news in any case.
  inSight({ at, total, lines }) {
    const first = Math.min(this.range().first, Math.max(0, total - 1));
    return at >= total || (first >= at && first <= at + lines.length);
  }

  take(window) {
    this.total = window.total;
    this.lines = new Map(window.lines.map((line) => [line.index, line]));
    const at = this.selected && window.lines.find((line) => keyOf(line) === this.selected.key);
    if (at) this.selected = { key: this.selected.key, index: at.index, line: at };
    this.draw();
  }

  draw() {
    const { first, last } = this.range();
    this.rows.style.height = `${this.total * this.height}px`;
    this.element.setAttribute('aria-rowcount', this.total + 1);
    const wanted = [];
    let missing = false;
    for (let i = Math.max(0, first - beyond); i < Math.min(this.total, last + beyond); i++) {
      const line = this.lines.get(i);
      if (line) wanted.push(line);
      else if (i >= first && i < last) missing = true;
    }
    this.place(wanted);
    if (missing) this.fetch();
  }

  // Changes as little as possible: a line that stays keeps its element, and with it the focus.
  place(wanted) {
    const focused = this.rows.contains(document.activeElement);
    const before = this.drawn;
    this.drawn = new Map();
    for (const line of wanted) {
      const key = keyOf(line);
      const signature = JSON.stringify(line);
      const known = before.get(key);
      const element = known?.signature === signature ? known.element : this.options.draw(line);
      element.style.top = `${line.index * this.height}px`;
      const chosen = key === this.selected?.key;
      element.classList.toggle('sel', chosen);
      element.tabIndex = chosen ? 0 : -1;
      element.setAttribute('aria-selected', String(chosen));
      this.drawn.set(key, { element, signature });
    }
    const elements = [...this.drawn.values()].map(({ element }) => element);
    for (const child of [...this.rows.children]) {
      if (!elements.includes(child)) child.remove();
    }
    elements.forEach((element, i) => {
      if (this.rows.children[i] !== element)
        this.rows.insertBefore(element, this.rows.children[i] ?? null);
    });
    this.element.tabIndex = this.drawn.has(this.selected?.key) ? -1 : 0;
    if (focused && !this.rows.contains(document.activeElement)) this.focus();
  }

  /** Says in the middle of the list why it is empty, or nothing. */
  say(text) {
    this.empty.textContent = text;
    this.empty.hidden = !text;
  }
}

/** Names a line: "g12" is a flow, "52" is a row. */
export function keyOf(line) {
  return line.group ? line.group.id : String(line.row.id);
}
