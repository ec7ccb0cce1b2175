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
const narrow = matchMedia('(max-width: 700px)'); // there is no pane beside the list

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
      load: (at, n) => this.load(at, n),
      draw: (line) => this.draw(line),
      selected: (line, by) => this.selected(line, by),
      moved: () => this.freeze(),
      act: (name, line) => this.act(name, line),
      failed: (error) => this.failed(error),
    });
    const source = () => ({
      id: this.line?.row?.id,
      flow: this.line?.group?.id ?? this.line?.row?.group,
    });
    this.copies = copyKeys(app, source);
    this.pane = new Pane(app, () => choose('Copy', this.copies));
    this.keys = { ...this.listKeys(), ...this.copies };
  }

  async start(params) {
    const { app, main } = this;
    app.title('Traffic');
    this.split = h('div', { class: 'split' }, this.list.element, this.pane.element);
    main.append(
      h('h1', { class: 'vh' }, 'Traffic'),
      h(
        'div',
        { class: 'bar' },
        this.box.element,
        this.chips.element,
        h('span', { class: 'sp' }),
        this.newer,
      ),
      this.split,
    );
    this.split.classList.toggle('alone', localStorage.getItem(paneKey) === 'off');
    this.list.start();
    this.offs = [
      app.on('row', () => this.changed()),
      app.on('gap', () => this.changed()),
      app.on('status', () => this.changed()),
      app.on('state', (state) => state === 'live' && this.changed()),
      app.on('pause', (on) => (on ? this.freeze() : this.goOn())),
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

  // Goes to a row or a flow that the list may not have in sight. What a filter hides is shown in the
  // pane alone.
  async goTo(key) {
    const { api } = this.app;
    try {
      const row = key.startsWith('g')
        ? null
        : (await api.get(`exchanges/${encodeURIComponent(key)}`)).row;
      const name = row?.group ?? key;
      const flow = await api.get(`flows/${encodeURIComponent(name)}`);
      if (row && !this.open.has('all')) this.open.add(name);
      this.fold.delete(name);
      const rows = flow.rows.length;
      if (await this.list.find(key, (await this.above(flow)) - rows, rows)) return;
      this.selected(row ? { row } : { group: flow.group }, 'page');
    } catch (error) {
      if (error.status !== 404) throw error;
      this.app.say(`${key} is held no longer.`);
    }
  }

  // Returns how many lines stand above a flow, or some more: those that are not in the list as it
  // was when the flow began. Later rows of the flow, and of older ones, are counted too.
  async above(flow) {
    const [now, then] = await Promise.all([this.window(0, 1), this.window(0, 1, flow.rows[0].id)]);
    return now.total - then.total;
  }

  window(at, n, before = this.before) {
    return this.app.api.get('exchanges', {
      q: this.q,
      grouped: 1,
      at,
      n,
      before,
      open: [...this.open].join(','),
      fold: [...this.fold].join(','),
    });
  }

  async load(at, n) {
    const { q } = this;
    const window = await this.window(at, n);
    window.lines ??= []; // an empty list may be null
    this.last = window.last;
    for (const { group } of window.lines) if (group) this.starts.set(group.id, group.at);
    this.chips.draw(window.counts, q);
    this.list.say(window.total ? '' : this.emptyWords());
    this.newer.hidden = !window.new;
    replace(this.newer, counted(window.new ?? 0, 'new', 'new'), h('kbd', {}, 'f'));
    if (window.pending) this.list.refresh({ soon: true }); // the filter looks into exchanges
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

  goOn() {
    this.before = undefined;
    this.list.refresh();
  }

  follow() {
    if (this.app.paused) return this.app.pause(false);
    this.before = undefined;
    this.list.clear();
    this.line = undefined;
    this.pane.clear();
    this.list.scrollTo(0);
    this.list.refresh();
    this.write();
    return this.list.focus();
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
    if (by === 'user') this.list.focus();
  }

  // Every state has an address.
  write({ push = false } = {}) {
    this.app.address(
      {
        q: this.q,
        open: [...this.open].join(','),
        fold: [...this.fold].join(','),
        row: this.line && keyOf(this.line),
      },
      { push },
    );
  }

  async setFold(fold) {
    const line = this.list.selected?.line;
    if (!line) return;
    if (line.row) return fold ? this.list.moveToGroup() : undefined;
    if (Boolean(line.folded) === fold) return fold ? undefined : this.list.move(1);
    return this.toggle(line);
  }

  // Unfolds all flows, or folds them.
  toggleAll() {
    const all = this.open.has('all');
    this.open = new Set(all ? [] : ['all']);
    this.fold.clear();
    this.freeze();
    this.write();
    return this.list.refresh();
  }

  async toggle(line) {
    const { id } = line.group;
    if (line.folded) {
      this.fold.delete(id);
      if (!this.open.has('all')) this.open.add(id);
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
    if (name === 'touch' && !narrow.matches) return undefined;
    if (name === 'touch' && line.group) return this.toggle(line);
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
    if (this.marked && this.marked !== flow)
      return this.app.navigate(`compare/${this.marked}/${flow}`);
    this.marked = flow;
    this.list.drawn.clear();
    this.list.draw();
    return this.app.say('This order is marked. Press c on another one to compare them.');
  }

  // The next miss below the selected line; after the last one the first again.
  async nextMiss() {
    const q = this.q ? `( ${this.q} ) ${filters.misses}` : filters.misses;
    const { rows } = await this.app.api.get('rows', { q, n: 500 });
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
      j: down,
      ArrowDown: down,
      k: up,
      ArrowUp: up,
      J: ['next order', () => this.list.moveGroup(1)],
      K: ['order before', () => this.list.moveGroup(-1)],
      PageDown: ['a page down', () => this.list.move(page())],
      PageUp: ['a page up', () => this.list.move(-page())],
      Home: ['first line', () => this.list.move(-Infinity)],
      End: ['last line', () => this.list.move(Infinity)],
      ArrowRight: ['unfold', () => this.setFold(false)],
      '*': ['unfold all, fold all', () => this.toggleAll()],
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
