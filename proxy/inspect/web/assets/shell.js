// The bars around the screens: mode, tapes and screens on top; the state of the deck below.

import { h, icon, replace } from './dom.js';
import { number } from './format.js';
import { button, keyCap } from './parts.js';
import { nextTheme, theme } from './theme.js';

const stateWords = {
  asking: 'waiting for the token',
  connecting: 'connecting',
  live: 'live',
  paused: 'paused',
  retry: 'no connection, trying again',
  stopped: 'the deck has stopped',
};

/** Draws the top bar. */
export function drawTop(app, element) {
  const { status } = app;
  const links = [
    ['traffic', '', 'Traffic', status && number(status.requests), '1'],
    [
      'tape',
      `tape${status?.cassettes?.length ? `/${encodeURIComponent(status.cassettes[0])}` : ''}`,
      'Tape',
      '',
      '2',
    ],
    ['rules', 'rules', 'Rules and callbacks', status?.rules ? `${status.armed} armed` : '', '3'],
  ];
  const section = ['tape', 'rules'].includes(app.screen) ? app.screen : 'traffic';
  replace(
    element,
    h('a', { class: 'skip', href: '#main' }, 'Skip to content'),
    h('a', { class: 'brand', href: app.href('') }, icon('brand', ''), 'paytape'),
    status &&
      h(
        'span',
        { class: 'mode' },
        h('b', {}, status.mode.toUpperCase()),
        h('span', { class: 'tapes' }, (status.cassettes ?? []).join(', ')),
      ),
    h(
      'nav',
      { aria: { label: 'Screens' } },
      links.map(([name, path, text, count, key]) =>
        h(
          'a',
          { href: app.href(path), aria: { current: name === section ? 'page' : null } },
          text,
          count && h('span', { class: 'count' }, count),
          keyCap(key),
        ),
      ),
    ),
    h('span', { class: 'sp' }),
    h(
      'span',
      { class: 'acts' },
      button(app.paused ? 'Go on' : 'Pause', 'p', () => app.pause(!app.paused), { class: 'wide' }),
      button(`Theme: ${theme()}`, null, () => {
        nextTheme();
        app.draw();
      }),
    ),
  );
}

/** Draws the status bar. */
export function drawStatus(app, element) {
  const { status } = app;
  const state = app.paused && app.state === 'live' ? 'paused' : app.state;
  replace(
    element,
    h('span', { class: `connection ${state}` }, h('i'), stateWords[state]),
    status && counts(app, status),
    h('span', { class: 'sp' }),
    h('span', { class: 'opt dim' }, 'secrets were taken out before this page got anything'),
    h(
      'button',
      { type: 'button', class: 'bare', on: { click: app.showKeys } },
      keyCap('?'),
      'all keys',
    ),
  );
}

/** Who has which session, of decks that share their sessions: a pointer shows the names. */
function sharing(shared) {
  const all = shared.sessions ?? [];
  const here = all.filter((s) => s.here).length;
  const names = all.map(
    (s) => `${s.session || 'clients without a session'}: ${s.here ? 'this deck' : s.at}`,
  );
  return h(
    'span',
    { class: 'opt', title: names.join('\n') },
    h('b', {}, number(here)),
    ` of ${number(all.length)} sessions here, ${number(shared.decks)} decks`,
    !shared.connected && ', NATS is gone',
  );
}

function counts(app, status) {
  const calls = status.callbacks;
  const pairs = [
    ['hits', status.hits],
    ['marked', status.marked],
    ['made by rules', status.ruled],
    ['failed', status.failed],
    ['recorded', status.recorded],
    ['passed', status.passed],
  ];
  const called = [
    ['accepted', calls.accepted],
    ['refused', calls.refused],
    ['pending', calls.pending + calls.held],
  ].filter(([, n]) => n > 0);
  return [
    h(
      'span',
      { class: 'opt' },
      h('b', {}, status.mode),
      status.cassettes?.length > 0 && ` of ${status.cassettes.join(', ')}`,
    ),
    status.sharing && sharing(status.sharing),
    status.misses > 0 &&
      h(
        'a',
        { class: 'hot', href: app.href('', { q: app.filters.misses }) },
        h('b', {}, number(status.misses)),
        status.misses === 1 ? ' miss' : ' misses',
      ),
    pairs
      .filter(([, n]) => n > 0)
      .map(([text, n], i) =>
        h('span', { class: i > 1 ? 'opt' : '' }, h('b', {}, number(n)), ` ${text}`),
      ),
    called.length > 0 &&
      h(
        'span',
        { class: 'opt' },
        'callbacks: ',
        called.map(([text, n], i) => [i > 0 && ', ', h('b', {}, number(n)), ` ${text}`]),
      ),
  ];
}
