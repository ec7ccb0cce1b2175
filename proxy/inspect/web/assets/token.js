// The token of the deck. It comes in the first address of the page, is taken out of that address at
// once, and is kept for this tab and for links that are opened in new tabs of this browser.

import { h, replace } from './dom.js';

const key = 'paytape-token';
const screens = new Set(['', 'x', 'why', 'flow', 'compare', 'tape', 'rules', 'callbacks']);

/** Returns the token, or an empty string. */
export function token() {
  return sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? '';
}

/** Keeps a token. */
export function keepToken(text) {
  sessionStorage.setItem(key, text);
  localStorage.setItem(key, text);
}

/** Forgets a token that the deck has refused, unless another was given since. */
export function forgetToken(refused) {
  if (refused !== token()) return;
  sessionStorage.removeItem(key);
  localStorage.removeItem(key);
}

/**
 * Takes the token out of the address: /TOKEN/why/52 becomes /why/52, and /TOKEN/inspect/ becomes
 * /inspect/. An address without a token stays.
 */
export function takeToken(base) {
  const path = location.pathname;
  if (path.startsWith(base) && screens.has(path.slice(base.length).split('/')[0])) return;
  const [, found, rest] = path.match(/^\/([^/]+)(\/.*)?$/) ?? [];
  if (!found) return;
  keepToken(found);
  const clean = rest?.startsWith(base) ? rest : base;
  history.replaceState(null, '', clean + location.search + location.hash);
}

/** Shows a form that asks for the token, and resolves when one was given. */
export function askToken(main, reason) {
  return new Promise((resolve) => {
    const field = h('input', {
      id: 'token',
      type: 'password',
      autocomplete: 'off',
      spellcheck: 'false',
      required: true,
      aria: { describedby: 'token-help' },
    });
    const submit = (event) => {
      event.preventDefault();
      const text = field.value.trim();
      keepToken(text.match(/^https?:\/\/[^/]+\/([^/]+)/)?.[1] ?? text);
      replace(main);
      resolve();
    };
    replace(
      main,
      h(
        'form',
        { class: 'ask panel', on: { submit } },
        h('h1', {}, 'This tab has no token'),
        reason && h('p', { class: 'problem' }, reason),
        h(
          'p',
          { id: 'token-help' },
          'paytape printed an address when it started. Open that address, or ' +
            'paste it (or the token in it) here.',
        ),
        h('label', { for: 'token' }, 'Address or token'),
        field,
        h('button', { type: 'submit', class: 'main' }, 'Open'),
      ),
    );
    field.focus();
  });
}
