// The filter: a field with completion. What cannot be applied is not applied, and said why.

import { h, icon, replace } from '../dom.js';
import { maskCards } from '../filters.js';
import { number } from '../format.js';
import { keyCap } from '../parts.js';

const rest = 120; // milliseconds without a key before completion is asked for

/** Makes the filter box. apply(text) is called with filters that can be applied. */
export class FilterBox {
  constructor(app, apply) {
    this.app = app;
    this.apply = apply;
    this.words = [];
    this.chosen = -1;
    this.applied = '';
    this.turn = 0;
    this.input = h('input', {
      class: 'in',
      id: 'filter',
      role: 'combobox',
      autocomplete: 'off',
      spellcheck: 'false',
      autocapitalize: 'off',
      placeholder: 'order, card, words, or key:value',
      maxlength: 1000,
      aria: {
        label: 'Filter',
        expanded: 'false',
        controls: 'words',
        autocomplete: 'list',
        describedby: 'reads',
      },
      on: {
        input: () => this.later(),
        focus: () => this.complete(),
        blur: () => this.close(),
        keydown: (event) => this.press(event),
        click: () => this.complete(),
      },
    });
    this.reads = h('p', { class: 'reads', id: 'reads' });
    this.list = h('div', { id: 'words', role: 'listbox', aria: { label: 'What may stand here' } });
    this.popup = h(
      'div',
      { class: 'combo', hidden: true, on: { mousedown: (event) => event.preventDefault() } },
      this.reads,
      this.list,
      h(
        'footer',
        {},
        h('span', {}, keyCap('ArrowUp ArrowDown'), ' choose'),
        h('span', {}, keyCap('-'), ' in front: not'),
        h('span', {}, 'space: and'),
        h('span', {}, h('code', {}, '( or )')),
        h('span', {}, keyCap('Enter'), ' take, then apply'),
      ),
    );
    this.hint = h('kbd', {}, '/');
    this.element = h('div', { class: 'filter' }, icon('search'), this.input, this.hint, this.popup);
  }

  /** Puts a filter into the field, that is in force already. */
  set(text) {
    this.applied = text;
    this.input.value = text;
    this.element.classList.remove('wrong');
  }

  focus() {
    this.input.focus();
    this.input.select();
  }

  later() {
    this.chooseNone(); // words that are shown still are those of another text
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.complete(), rest);
  }

  async complete() {
    clearTimeout(this.timer);
    const mine = ++this.turn;
    const text = maskCards(this.input.value);
    const cursor = text === this.input.value ? this.input.selectionStart : text.length;
    const found = await this.app.api
      .get('filter', { q: text, cursor: bytes(text.slice(0, cursor)) })
      .catch(() => null);
    if (!found || mine !== this.turn || document.activeElement !== this.input) return;
    this.text = found.text ?? text; // places are in the text that the server has read
    this.found = found;
    this.words = found.words ?? [];
    this.chooseNone();
    this.draw();
    if (!found.error && text !== this.applied) this.use(text);
  }

  draw() {
    const { found } = this;
    const held = this.applied
      ? [h('code', {}, this.applied), ' stays in force.']
      : 'everything is shown.';
    replace(
      this.reads,
      found.error
        ? [h('span', { class: 'wrong' }, sentence(found.error)), ' Until then ', held]
        : `Reads: ${found.reads || 'everything'}`,
    );
    this.element.classList.toggle('wrong', Boolean(found.error));
    this.input.setAttribute('aria-invalid', String(Boolean(found.error)));
    replace(
      this.list,
      this.words.map((word, i) =>
        h(
          'div',
          {
            role: 'option',
            id: `word-${i}`,
            aria: { selected: 'false' },
            on: { click: () => this.take(i) },
          },
          h('code', {}, word.text),
          h('span', { class: 't2' }, word.says),
          h('span', { class: 'num' }, word.count >= 0 ? number(word.count) : ''),
        ),
      ),
    );
    this.popup.hidden = false;
    this.hint.textContent = 'Esc';
    this.input.setAttribute('aria-expanded', 'true');
  }

  close() {
    clearTimeout(this.timer);
    this.turn++;
    this.popup.hidden = true;
    this.hint.textContent = '/';
    this.input.setAttribute('aria-expanded', 'false');
    this.chooseNone();
  }

  press(event) {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (this.popup.hidden) this.complete();
      else this.choose(event.key === 'ArrowDown' ? 1 : -1);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (this.chosen >= 0) this.take(this.chosen);
      else this.enter();
    } else if (event.key === 'Escape') {
      event.preventDefault();
      this.escape();
    }
  }

  choose(by) {
    const n = this.words.length;
    if (!n) return;
    this.list.children[this.chosen]?.setAttribute('aria-selected', 'false');
    this.chosen = this.chosen < 0 && by < 0 ? n - 1 : (this.chosen + by + n) % n;
    const option = this.list.children[this.chosen];
    option.setAttribute('aria-selected', 'true');
    option.scrollIntoView({ block: 'nearest' });
    this.input.setAttribute('aria-activedescendant', option.id);
  }

  chooseNone() {
    this.list.children[this.chosen]?.setAttribute('aria-selected', 'false');
    this.chosen = -1;
    this.input.removeAttribute('aria-activedescendant');
  }

  // Puts a word in place of what stands at the cursor. A key, such as "served:", wants a value next.
  take(i) {
    const { from, to } = this.found;
    const word = this.words[i].text;
    const before = part(this.text, 0, from);
    const after = part(this.text, to);
    const gap = word.endsWith(':') || after.startsWith(' ') ? '' : ' ';
    this.input.value = before + word + gap + after;
    const cursor = (before + word + gap).length;
    this.input.setSelectionRange(cursor, cursor);
    this.chooseNone();
    this.complete();
  }

  // Applies what stands in the field, and goes on to the list.
  async enter() {
    await this.complete();
    if (this.found?.error) return;
    const text = maskCards(this.input.value).trim();
    this.use(text, true);
    this.input.value = text;
    this.input.blur();
  }

  // The first Escape shuts the list of words, the second gives the last valid filter back.
  escape() {
    if (!this.popup.hidden) return this.close();
    this.set(this.applied);
    return this.input.blur();
  }

  use(text, done = false) {
    this.applied = text.trim();
    this.apply(this.applied, done);
  }
}

// Places of the server are in bytes of UTF-8, those of a field in UTF-16.
function bytes(text) {
  return new TextEncoder().encode(text).length;
}

function part(text, from, to) {
  return new TextDecoder().decode(new TextEncoder().encode(text).slice(from, to));
}

function sentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}
