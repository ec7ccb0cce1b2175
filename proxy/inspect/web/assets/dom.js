// Elements and SVG. A string is always text here: nothing of the traffic is ever read as markup.

const svgSpace = 'http://www.w3.org/2000/svg';

// A text of the traffic may have any length. What is shown of it is bounded; the exchange itself can
// be copied whole.
const longest = 200_000;

// Characters that change the direction of a text, hide, or move what stands around them. They are
// shown as what they are.
const unprinted =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Returns a text as it may be shown: bounded, and without characters that nobody sees. */
export function plain(text, most = longest) {
  text = String(text);
  if (text.length > most) {
    text = `${text.slice(0, most)}\u2026`;
  }
  return text.replace(unprinted, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Makes an element. Props: `class`; `on: {click: fn}`; `aria: {label: ...}`; `data: {...}`; others
 * are attributes. A prop that is null, undefined or false is left out; true is an empty attribute.
 * Children are nodes, strings, numbers, arrays of them, or nothing (null, undefined, false).
 */
export function h(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** Makes an element of SVG; see h. */
export function svg(tag, props, ...children) {
  return fill(document.createElementNS(svgSpace, tag), props, children);
}

/** Makes an icon of the sprite in the shell: "ok", "no", "wait", "rule" ... */
export function icon(name, className = 'ic') {
  return svg(
    'svg',
    { class: className, aria: { hidden: 'true' } },
    svg('use', { href: `#i-${name}` }),
  );
}

/** Replaces all children of an element; see h. */
export function replace(element, ...children) {
  element.replaceChildren(...nodes(children));
  return element;
}

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === 'on') {
      for (const [type, listener] of Object.entries(value))
        element.addEventListener(type, listener);
    } else if (name === 'aria' || name === 'data') {
      for (const [key, one] of Object.entries(value)) set(element, `${name}-${key}`, one);
    } else {
      set(element, name, value);
    }
  }
  element.append(...nodes(children));
  return element;
}

function set(element, name, value) {
  if (name.startsWith('on')) throw new Error(`${name}: handlers are given in "on"`);
  if (value === null || value === undefined || (value === false && !name.startsWith('aria-')))
    return;
  element.setAttribute(name, value === true && !name.startsWith('aria-') ? '' : plain(value));
}

function nodes(children) {
  return children
    .flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : document.createTextNode(plain(child))));
}
