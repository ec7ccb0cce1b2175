// Dialogs: all keys of the page, a question before something is done, a choice, a text for copying.

import { h, replace } from './dom.js';
import { keys } from './keys.js';
import { copyBox, keyCap } from './parts.js';

/** Shows all keys, with the switch that lets single characters rest. */
export function showKeys() {
  const letters = h(
    'button',
    {
      type: 'button',
      role: 'switch',
      aria: { checked: String(keys.letters) },
      on: {
        click() {
          keys.letters = !keys.letters;
          letters.setAttribute('aria-checked', String(keys.letters));
          replace(letters, lettersText());
        },
      },
    },
    lettersText(),
  );
  const tables = reachable();
  show('Keys', [
    h(
      'div',
      { class: 'key-tables' },
      tables.map(([screen, table]) =>
        h(
          'section',
          {},
          h('h3', {}, screen),
          h(
            'dl',
            {},
            grouped(table).map(([text, list]) => [
              h('dt', {}, list.map(keyCap)),
              h('dd', {}, text),
            ]),
          ),
        ),
      ),
    ),
    h(
      'p',
      { class: 'acts' },
      letters,
      h('span', { class: 't2' }, 'Keys rest while you type in a field.'),
    ),
  ]);
}

// A key that a screen has taken is not told of a second time.
function reachable() {
  const told = new Set();
  return keys
    .all()
    .map(([screen, table]) => {
      const own = Object.entries(table).filter(([key]) => !told.has(key));
      own.forEach(([key]) => told.add(key));
      return [screen, Object.fromEntries(own)];
    })
    .filter(([, table]) => Object.keys(table).length > 0);
}

function lettersText() {
  return `Single letters: ${keys.letters ? 'on' : 'off'}`;
}

// Keys that do the same stand in one line.
function grouped(table) {
  const lines = new Map();
  for (const [key, [text]] of Object.entries(table)) {
    lines.set(text, [...(lines.get(text) ?? []), key]);
  }
  return [...lines];
}

/** Asks a question, and resolves to true if the answer is the text of the button that does it. */
export function ask(question, doIt) {
  return new Promise((resolve) => {
    let answer = false;
    const yes = h(
      'button',
      {
        type: 'button',
        class: 'main',
        on: {
          click() {
            answer = true;
            dialog.close();
          },
        },
      },
      doIt,
    );
    const dialog = show(
      'A question first',
      [h('p', {}, question), h('p', { class: 'acts' }, yes)],
      () => resolve(answer),
    );
  });
}

/** Shows what a table of keys does as buttons: choose('Copy', {'y c': ['copy as curl', fn]}). */
export function choose(title, table) {
  const dialog = show(title, [
    h(
      'p',
      { class: 'acts' },
      Object.entries(table).map(([key, [text, fn]]) =>
        h(
          'button',
          {
            type: 'button',
            on: {
              click() {
                dialog.close();
                fn();
              },
            },
          },
          text,
          keyCap(key),
        ),
      ),
    ),
  ]);
}

/** Shows a text, selected. */
export function showText(title, text) {
  const box = copyBox(text, title);
  show(title, [box]);
  box.focus();
  getSelection().selectAllChildren(box);
}

function show(title, content, closed = () => {}) {
  const shut = () => dialog.close();
  const dialog = h(
    'dialog',
    {
      aria: { labelledby: 'dialog-title' },
      on: {
        close() {
          dialog.remove();
          closed();
        },
      },
    },
    h(
      'header',
      {},
      h('h2', { id: 'dialog-title' }, title),
      h('span', { class: 'sp' }),
      h('button', { type: 'button', on: { click: shut } }, 'Close', keyCap('Escape')),
    ),
    content,
  );
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
