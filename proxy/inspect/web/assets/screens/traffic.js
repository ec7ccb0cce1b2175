// The first screen: flows and their exchanges, live, under a filter.

import { copyKeys } from '../copy.js';
import { h, replace } from '../dom.js';
import { filters } from '../filters.js';
import { counted } from '../format.js';
import { choose } from '../help.js';
import { button } from '../parts.js';
import { makeChips } from '../traffic/chips.js';
import { FilterBox } from '../traffic/filterbox.js';
import { keyOf, List } from '../traffic/list.js';
import { Pane } from '../traffic/pane.js';
import { drawLine } from '../traffic/row.js';

const paneKey = 'paytape-pane';

/** Shows the list. Params of the address: q, open and fold (names of flows), row, focus. */
export async function show(app, main, params) {
  const screen = new Traffic(app, main);
  await screen.start(params);
  return screen;
}

class Traffic {
  constructor(app, main) {
    this.app = app;
    this.main = main;
    this.starts = new Map(); // when flows began
    this.box = new FilterBox(app, (q, done) => this.filter(q, done));
    this.chips = makeChips((q) => this.filter(q, true));
    this.newer = button('', 'f', () => this.follow(), { class: 'newer', hidden: true });
    this.list = new List({
      load: (at, n, find) => this.load(at, n, find),
      draw: (line) => this.draw(line),
      selected: (line, by) => this.selected(line, by),
      moved: () => this.freeze(),
      act: (name, line) => this.act(name, line),
      failed: (error) => this.failed(error),
    });
    const source = () => ({ id: this.line?.row?.id, flow: this.line?.group?.id ?? this.line?.row?.group });
    this.copies = copyKeys(app, source);
    this.pane = new Pane(app, () => choose('Copy', this.copies));
    this.keys = { ...this.listKeys(), ...this.copies };
  }

  async start(params) {
    const { app, main } = this;
    app.title('Traffic');
    this.split = h('div', { class: 'split' }, this.list.element, this.pane.element);
    main.append(h('h1', { class: 'vh' }, 'Traffic'),
      h('div', { class: 'bar' }, this.box.element, this.chips.element, h('span', { class: 'sp' }), this.newer),
      this.split);
    this.split.classList.toggle('alone', localStorage.getItem(paneKey) === 'off');
    this.list.start();
    this.offs = [
      app.on('row', () => this.changed()), app.on('gap', () => this.changed()),
      app.on('status', () => this.changed()), app.on('state', (state) => state === 'live' && this.changed()),
      app.on('pause', (on) => (on ? this.freeze() : this.follow())),
    ];
    await this.update(params);
    if (params.focus === 'filter') this.box.focus();
    else this.list.focus();
  }

  leave() {
    this.list.stop();
    this.offs.forEach((off) => off());
  }

  /** Takes the params of an address: the screen is in front already. */
  async update({ q = '', open = '', fold = '', row = '', focus = '' }) {
    this.q = q;
    this.open = new Set(open.split(',').filter(Boolean));
    this.fold = new Set(fold.split(',').filter(Boolean));
    this.row = row;
    this.before = undefined;
    this.box.set(q);
    if (!row) {
      this.list.clear();
      this.pane.clear();
    }
    await this.list.reset();
    if (row) await this.goTo(row);
    if (focus === 'filter') this.box.focus();
    else if (focus) this.list.focus();
  }

  // Goes to a row that the list may not have in sight. Where the filter hides it, the pane has it.
  async goTo(key) {
    if (await this.list.find(key)) return;
    const found = await this.app.api.get(`exchanges/${encodeURIComponent(key)}`).catch(() => null);
    if (found) this.selected({ row: found.row, index: -1, level: 2 }, 'page');
  }

  async load(at, n, find) {
    const { q, before } = this;
    const window = await this.app.api.get('exchanges', {
      q, grouped: 1, at, n, find, before, open: [...this.open].join(','), fold: [...this.fold].join(','),
    });
    window.lines ??= []; // an empty list may be null
    this.last = window.last;
    for (const { group } of window.lines) if (group) this.starts.set(group.id, group.at);
    this.chips.draw(window.counts, q);
    this.list.say(window.total ? '' : this.emptyWords());
    this.newer.hidden = !(before !== undefined && window.waiting > 0);
    replace(this.newer, counted(window.waiting ?? 0, 'new', 'new'), h('kbd', {}, 'f'));
    return window;
  }

  emptyWords() {
    if (this.q) return 'Nothing agrees with this filter.';
    const { status } = this.app;
    return status?.url ? `No exchange yet. The deck listens at ${status.url}.` : 'No exchange yet.';
  }

  draw(line) {
    const element = drawLine(line, line.row && this.starts.get(line.row.group));
    if (line.group && line.group.id === this.marked) element.classList.add('marked');
    return element;
  }

  failed(error) {
    if (error.status === 400) this.list.say(error.message);
    else if (error.status === 0) this.app.say(`${error.message}.`);
    else if (error.status === undefined) throw error; // a mistake of ours, not an answer
  }

  changed() {
    this.list.refresh({ soon: true });
  }

  // The list stands still at the newest event that it has, as long as the reader reads.
  freeze() {
    this.before ??= this.last;
  }

  follow() {
    this.before = undefined;
    this.list.clear();
    this.line = undefined;
    this.pane.clear();
    this.list.scrollTo(0);
    this.list.refresh();
    this.write();
    this.list.focus();
  }

  filter(q, done) {
    if (q !== this.q) {
      this.q = q;
      this.before = undefined;
      this.list.clear();
      this.list.reset();
      this.write({ push: done });
    }
    this.box.applied = q;
    if (!done) return;
    this.box.set(q);
    this.list.focus();
  }

  selected(line, by) {
    this.line = line;
    if (by === 'user') this.freeze();
    this.pane.show(line);
    this.write();
    if (by === 'user' && !this.main.contains(document.activeElement?.closest('.combo'))) this.list.focus();
  }

  // Every state has an address.
  write({ push = false } = {}) {
    this.app.address({
      q: this.q, open: [...this.open].join(','), fold: [...this.fold].join(','),
      row: this.line && keyOf(this.line),
    }, { push });
  }

  async setFold(fold) {
    const line = this.list.selected?.line;
    if (!line) return;
    if (line.row) return fold ? this.list.moveToGroup() : undefined;
    if (line.folded === fold || Boolean(line.folded) === fold) return fold ? undefined : this.list.move(1);
    return this.toggle(line);
  }

  async toggle(line) {
    const { id } = line.group;
    if (line.folded) {
      this.fold.delete(id);
      this.open.add(id);
    } else {
      this.open.delete(id);
      if (this.open.has('all')) this.fold.add(id);
    }
    this.freeze();
    this.write();
    await this.list.refresh();
  }

  act(name, line) {
    if (name === 'fold') return this.toggle(line);
    this.list.select(line);
    return this.enter();
  }

  enter() {
    const { line } = this;
    if (line?.row) return this.app.navigate(`x/${line.row.id}`);
    if (line?.group) return this.app.navigate(`flow/${line.group.id}`);
    return undefined;
  }

  flow() {
    return this.line?.group?.id ?? this.line?.row?.group;
  }

  compare() {
    const flow = this.flow();
    if (!flow) return this.app.say('Select an order first.');
    if (this.marked && this.marked !== flow) return this.app.navigate(`compare/${this.marked}/${flow}`);
    this.marked = flow;
    this.list.drawn.clear();
    this.list.draw();
    return this.app.say('This order is marked. Press c on another one to compare them.');
  }

  // The next miss below the selected line; after the last one the first again.
  async nextMiss() {
    const { rows } = await this.app.api.get('rows', { q: `${this.q} ${filters.misses}`.trim(), n: 1000 });
    if (!rows?.length) return this.app.say('There is no miss.');
    const ids = rows.map((row) => row.id).reverse(); // the newest flow is on top
    const next = ids.find((id) => id < (this.line?.row?.id ?? Infinity)) ?? ids[0];
    this.freeze();
    await this.goTo(String(next));
    return this.list.focus();
  }

  togglePane() {
    const off = this.split.classList.toggle('alone');
    localStorage.setItem(paneKey, off ? 'off' : 'on');
  }

  listKeys() {
    const down = ['next line', () => this.list.move(1)];
    const up = ['line before', () => this.list.move(-1)];
    const page = () => this.list.range().count - 2;
    return {
      j: down, ArrowDown: down, k: up, ArrowUp: up,
      J: ['next order', () => this.list.moveGroup(1)],
      K: ['order before', () => this.list.moveGroup(-1)],
      PageDown: ['a page down', () => this.list.move(page())],
      PageUp: ['a page up', () => this.list.move(-page())],
      Home: ['first line', () => this.list.move(-Infinity)],
      End: ['last line', () => this.list.move(Infinity)],
      ArrowRight: ['unfold', () => this.setFold(false)],
      ArrowLeft: ['fold', () => this.setFold(true)],
      Enter: ['open', () => this.enter()],
      o: ['order', () => this.flow() && this.app.navigate(`flow/${this.flow()}`)],
      w: ['why', () => this.line?.row && this.app.navigate(`why/${this.line.row.id}`)],
      c: ['mark an order, then compare', () => this.compare()],
      m: ['next miss', () => this.nextMiss()],
      f: ['show new ones, follow', () => this.follow()],
      '/': ['filter', () => this.box.focus()],
      '.': ['hide or show the pane', () => this.togglePane()],
      Escape: ['no filter', () => this.q && this.filter('', true)],
    };
  }
}
