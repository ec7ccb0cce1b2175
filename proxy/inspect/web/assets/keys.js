// Keys of the page. A screen binds a table; the dialog of all keys lists the tables that are bound.
// Single characters rest while somebody types, and can be switched off. Tab, Ctrl, Alt and Meta are
// never taken.

const lettersKey = 'paytape-letters';
const tables = new Map(); // name of a screen: {key: [text, fn]}
let begun = ''; // the first key of a sequence such as "y c"
let onBegun = () => {};

export const keys = {
  /**
   * Binds keys for a screen, in place of what it has bound: keys.bind('Flow', {s: ['steps', fn],
   * 'y c': ['copy as curl', fn]}). A key is the `key` of a KeyboardEvent, or two of them with a
   * space between. Of two tables the one that was bound last comes first.
   */
  bind(screen, table) {
    tables.delete(screen);
    tables.set(screen, table);
  },

  /** Takes the keys of a screen away. */
  unbind(screen) {
    tables.delete(screen);
  },

  /** Returns all tables: [[screen, {key: [text, fn]}], ...], those of the screen first. */
  all() {
    return [...tables].reverse();
  },

  /** Says whether single characters are keys. */
  get letters() {
    return localStorage.getItem(lettersKey) !== 'off';
  },

  set letters(on) {
    localStorage.setItem(lettersKey, on ? 'on' : 'off');
  },

  /**
   * Listens to a document. begin is called with [[sequence, text], ...] when a sequence begins, and
   * with none when it ends.
   */
  listen(target, begin) {
    onBegun = begin;
    target.addEventListener('keydown', press);
  },
};

function press(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Tab' || event.key === 'Shift' || event.isComposing) return;
  if (document.querySelector('dialog[open]') || rests(event)) return;
  const key = begun ? `${begun} ${event.key}` : event.key;
  if (begun) begin('');
  const bound = find(key);
  if (bound) {
    event.preventDefault();
    bound[1](event);
  } else if (sequences(key).length) {
    event.preventDefault();
    begin(key);
  }
}

function begin(key) {
  begun = key;
  onBegun(key ? sequences(key) : []);
}

function find(key) {
  for (const [, table] of keys.all()) {
    if (Object.hasOwn(table, key)) return table[key];
  }
  return undefined;
}

function sequences(first) {
  return keys
    .all()
    .flatMap(([, table]) => Object.entries(table))
    .filter(([key]) => key.startsWith(`${first} `))
    .map(([key, [text]]) => [key, text]);
}

// A key rests if somebody types, or if the element with the focus has a use of its own for it: a
// button is pressed with Enter, a box is scrolled with arrows. An element with data-keys leaves its
// keys to the screen.
function rests(event) {
  const at = event.target;
  if (at.closest?.('input, textarea, select, [contenteditable]')) return true;
  if (event.key.length === 1 && event.key !== ' ') return !keys.letters;
  if (event.key === 'Escape') return false;
  return Boolean(at.closest?.('a, button, summary, [tabindex="0"]')) && !at.closest('[data-keys]');
}
