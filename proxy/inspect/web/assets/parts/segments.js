import { h } from '../dom.js';
import { button } from '../parts.js';

/**
 * Makes a group of buttons of which one is pressed.
 * @param {string} label
 * @param {[string, string][]} choices names with their texts
 * @param {string} chosen
 * @param {(name: string) => void} choose
 */
export function segments(label, choices, chosen, choose) {
  const press = (name) => {
    buttons.forEach((b, i) => b.setAttribute('aria-pressed', String(choices[i][0] === name)));
    choose(name);
  };
  const buttons = choices.map(([name, text]) =>
    button(text, null, () => press(name), { aria: { pressed: String(name === chosen) } }),
  );
  return h('span', { class: 'seg', role: 'group', aria: { label } }, buttons);
}
