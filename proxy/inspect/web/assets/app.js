// Starts the page: an address names a screen, one stream of events serves all of them.

import { api } from './api.js';
import { h, replace } from './dom.js';
import { filters } from './filters.js';
import { ask, showKeys, showText } from './help.js';
import { keys } from './keys.js';
import { keyCap } from './parts.js';
import { drawStatus, drawTop } from './shell.js';
import { askToken, takeToken, token } from './token.js';

const elements = Object.fromEntries(
  ['top', 'main', 'status', 'say'].map((id) => [id, document.getElementById(id)]),
);

// Addresses below the base, and the modules of their screens.
const routes = [
  [/^$/, 'traffic', () => ({})],
  [/^x\/([^/]+)$/, 'exchange', (id) => ({ id })],
  [/^why\/([^/]+)$/, 'why', (id) => ({ id })],
  [/^flow\/([^/]+)$/, 'flow', (id) => ({ id })],
  [/^compare\/([^/]+)\/([^/]+)$/, 'flow', (a, b) => ({ id: a, a, b })],
  [/^tape(?:\/([^/]+))?$/, 'tape', (name) => ({ name })],
  [/^rules$/, 'rules', () => ({ part: 'rules' })],
  [/^callbacks$/, 'rules', () => ({ part: 'callbacks' })],
];

const listeners = new Map(); // kind of event: set of functions
let shown = { leave() {} }; // what the screen in front has returned
let turn = 0; // counts screens, so that one that is late knows that it is not in front
let parent = ''; // where Escape leads
let stopEvents = () => {};

const app = {
  api,
  keys,
  filters,
  base: api.base,
  /** view.Status, as last heard; null before. */
  status: null,
  /** "asking" (for a token), "connecting", "live", "retry" or "stopped". */
  state: 'connecting',
  /** Says that lists stand still until the reader goes on. */
  paused: false,
  /** Name of the screen in front. */
  screen: '',
  showKeys,
  /** Asks a question before something is done: if (await app.ask('Send it?', 'Send')) ... */
  ask,

  /** Returns an address for a link: app.href('x/52', {tab: 'raw'}). */
  href(path, params) {
    const query = new URLSearchParams(
      Object.entries(params ?? {}).filter(
        ([, value]) => value !== '' && value !== undefined && value !== null,
      ),
    );
    return api.base + path + (query.size ? `?${query}` : '');
  },

  /** Goes to a path below the base, such as "x/52" or "x/52?tab=raw". */
  navigate(path, { replace: inPlace = false } = {}) {
    history[inPlace ? 'replaceState' : 'pushState'](null, '', api.base + path);
    return show();
  },

  /** Writes params of the screen into the address without drawing it again. */
  address(params, { push = false } = {}) {
    const path = location.pathname.slice(api.base.length);
    history[push ? 'pushState' : 'replaceState'](null, '', app.href(path, params));
  },

  /** Returns the params of the address. */
  params() {
    return Object.fromEntries(new URLSearchParams(location.search));
  },

  /** Hears events: "row", "gap", "status" and "state" (of the connection). Returns what ends it. */
  on(kind, listener) {
    if (!listeners.has(kind)) listeners.set(kind, new Set());
    listeners.get(kind).add(listener);
    return () => listeners.get(kind).delete(listener);
  },

  /**
   * Copies a text, and says what it was. Where the browser lets no page copy (an address that is
   * neither loopback nor https), the text is shown for copying by hand.
   */
  async copy(text, what = 'text') {
    try {
      await navigator.clipboard.writeText(text);
      app.say(`Copied: ${what}.`);
    } catch {
      showText(`Copy by hand: ${what}`, text);
    }
  },

  /** Says something to people who listen, and shows it in the status bar for some seconds. */
  say(text) {
    elements.say.textContent = '';
    const line = h('span', { class: 'said' }, text);
    elements.say.append(text);
    elements.status.querySelector('.said')?.remove();
    elements.status.append(line);
    setTimeout(() => line.remove(), 5000);
  },

  /**
   * Returns the navigation of a page head: app.crumbs([['Traffic', ''], ['B-1048', 'flow/g12']]).
   * Escape leads to the last one.
   */
  crumbs(list) {
    parent = list.at(-1)?.[1] ?? '';
    return h(
      'nav',
      { class: 'crumb', aria: { label: 'Where' } },
      list.map(([text, path]) => [
        h('a', { href: app.href(path) }, text),
        h('span', { aria: { hidden: 'true' } }, '/'),
      ]),
    );
  },

  /** Names the page in the tab of the browser. */
  title(text) {
    document.title = `${text} - paytape`;
  },

  /** Lets lists stand still, or go on. */
  pause(on) {
    app.paused = on;
    app.say(on ? 'Paused: the list stands still.' : 'The list goes on.');
    app.draw();
    tell('pause', on);
  },

  /** Draws the bars. */
  draw() {
    drawTop(app, elements.top);
    const said = elements.status.querySelector('.said');
    drawStatus(app, elements.status);
    if (said) elements.status.append(said);
  },
};

function tell(kind, data) {
  for (const listener of listeners.get(kind) ?? []) listener(data);
}

// Shows the screen of the address. A screen that is in front already may take new params itself.
async function show() {
  const path = location.pathname.slice(api.base.length).replace(/\/$/, '');
  const [, name, params] = found(path) ?? [];
  const mine = ++turn;
  if (name && name === app.screen && shown.update) {
    await shown.update(paramsOf(params));
    return;
  }
  keys.unbind('Here');
  shown.leave?.();
  shown = { leave() {} };
  parent = '';
  app.screen = name ?? '';
  app.draw();
  const root = h('div', { class: `screen ${name ?? ''}` });
  replace(elements.main, root);
  if (!name) return replace(root, problem('There is no such page.'));
  const late = setTimeout(() => elements.main.setAttribute('aria-busy', 'true'), 300);
  try {
    const { show: draw } = await import(`./screens/${name}.js`);
    const result = (await draw(app, root, paramsOf(params))) ?? {};
    if (mine !== turn) return result.leave?.();
    shown = result;
    if (result.keys) keys.bind('Here', result.keys);
    if (!root.contains(document.activeElement)) focusHead(root);
  } catch (error) {
    if (mine === turn) failed(root, error);
  } finally {
    clearTimeout(late);
    elements.main.removeAttribute('aria-busy');
  }
}

// Params of a screen. What the path says comes first: a link names one thing, and its query cannot
// name another.
function paramsOf(params) {
  return { ...app.params(), ...params };
}

function found(path) {
  for (const [pattern, name, params] of routes) {
    const parts = path.match(pattern);
    if (parts)
      return [
        path,
        name,
        params(...parts.slice(1).map((part) => part && decodeURIComponent(part))),
      ];
  }
  return undefined;
}

function focusHead(root) {
  const head = root.querySelector('h1');
  if (!head) return;
  head.tabIndex = -1;
  head.focus({ preventScroll: true });
}

function failed(root, error) {
  if (error.status === 401) return; // the stream of events asks for another token
  replace(root, problem(error.message));
  if (!(error.status >= 0)) console.error(error); // a mistake of ours, not an answer
}

function problem(text) {
  return h(
    'div',
    { class: 'problem panel' },
    h('h1', {}, text),
    h('p', {}, h('a', { href: app.href('') }, 'To the traffic')),
  );
}

function onEvent({ event, data }) {
  if (event === 'state') return onState(data.state);
  if (event === 'status') {
    app.status = data;
    if (data.stopped) app.state = 'stopped';
    app.draw();
  }
  if (event === 'row' && data.sign === 'miss') news.add(data);
  tell(event, data);
}

function onState(state) {
  if (state === 'refused') return start('The deck has refused the token: it is not of this deck.');
  if (!(state === 'retry' && app.state === 'stopped')) app.state = state;
  app.draw();
  tell('state', app.state);
}

// New misses are said, and nothing else: several that come together are said in one sentence.
const news = {
  waiting: [],
  add(row) {
    if (!this.waiting.length) setTimeout(() => this.say(), 1000);
    this.waiting.push(row);
  },
  say() {
    const last = this.waiting.at(-1);
    const words = `${last.id} ${last.short || last.operation || ''}, ${last.reason} ${(last.fields ?? []).join(', ')}`;
    const n = this.waiting.length;
    this.waiting = [];
    elements.say.textContent =
      n === 1 ? `New miss: ${words}` : `${n} new misses, the last: ${words}`;
  },
};

function onClick(event) {
  const link = event.target.closest?.('a[href]');
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const to = new URL(link.href);
  if (to.origin !== location.origin || !to.pathname.startsWith(api.base) || to.hash || link.target)
    return;
  event.preventDefault();
  app.navigate(to.pathname.slice(api.base.length) + to.search);
}

const everywhere = {
  1: ['traffic', () => app.navigate('')],
  2: ['tape', () => elements.top.querySelectorAll('nav a')[1].click()],
  3: ['rules and callbacks', () => app.navigate('rules')],
  '/': ['filter', () => app.navigate('?focus=filter')],
  '?': ['all keys', showKeys],
  p: ['pause, go on', () => app.pause(!app.paused)],
  m: ['the last miss', () => app.navigate('why/last-miss')],
  Escape: ['back', () => app.screen !== 'traffic' && app.navigate(parent)],
};

function showSequences(list) {
  elements.status.querySelector('.begun')?.remove();
  if (!list.length) return;
  elements.status.append(
    h(
      'span',
      { class: 'begun' },
      list.map(([sequence, text]) => h('span', {}, keyCap(sequence.split(' ')[1]), text)),
    ),
  );
}

// Begins, or begins again with another token.
async function start(reason) {
  stopEvents();
  turn++; // no screen is in front
  while (!token() || reason) {
    app.state = 'asking';
    app.draw();
    await askToken(elements.main, reason);
    reason = '';
  }
  app.state = 'connecting';
  stopEvents = api.events('events', { most: 20 }, onEvent);
  app.screen = '';
  await show();
}

takeToken(api.base);
keys.bind('Everywhere', everywhere);
keys.listen(document, showSequences);
document.addEventListener('click', onClick);
addEventListener('popstate', show);
app.draw();
start('');
