import { miss, tag } from '../parts.js';

/** The tags of signs that people should look at. Other signs need none: their outcome says it. */
const tags = {
  miss: (row) => miss(row),
  failed: (row) => tag('bad', `failed: ${row.problem || 'no answer'}`, 'no'),
  marked: (row) => tag('mark', row.markWords || row.mark || 'marked', 'marked'),
  rule: (row) => tag('rule', `made by rule ${firedRules(row)}`, 'rule'),
  callback: () => tag('call', 'callback', 'callback'),
};

/**
 * Shows the sign of a row as a tag, where the sign says more than the outcome.
 * @param {object} row of view.Row
 */
export function signTag(row) {
  return tags[row.sign]?.(row) ?? null;
}

/**
 * The rules that fired, as a text: "status-flaky 1/2".
 * @param {{rules?: {name: string, count?: string}[]}} row of view.Row
 */
export function firedRules(row) {
  return (row.rules ?? []).map((r) => (r.count ? `${r.name} ${r.count}` : r.name)).join(', ');
}

/**
 * What people call a row: "#37", or "c1" for a callback.
 * @param {object} row of view.Row
 */
export function rowName(row) {
  return row.callback ? `c${row.callback}` : `#${row.id}`;
}

/**
 * What a row asked for: its operation, or the address of a call that no profile knows.
 * @param {object} row of view.Row
 */
export function rowOperation(row) {
  return row.operation || `${row.method ?? ''} ${row.target ?? ''}`.trim() || row.kind;
}
