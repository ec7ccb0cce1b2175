/**
 * The kinds of values, and what each means. Each kind has a line of its own form, so that no kind is
 * told by colour alone: see .k-fresh and its neighbours in the style.
 */
export const kinds = {
  fresh: 'made by the sandbox, made anew here',
  echo: "the client's own value, followed",
  moved: 'a date, moved with the clock',
  mask: 'a part of a live value',
  constant: 'as recorded',
  redacted: 'taken out while recording, in the same place',
};

/**
 * Writes a value of a field as its message has it: strings of JSON with quotation marks.
 * @param {string} text
 * @param {string} [type] of JSON
 */
export function written(text, type) {
  return type === 'string' ? JSON.stringify(text) : text;
}
