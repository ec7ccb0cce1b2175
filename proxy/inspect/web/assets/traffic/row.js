// Lines of the list: a flow, and below it exchanges and callbacks. Each is of one fixed height.

import { h, icon } from '../dom.js';
import { clip, clock, counted, later, millis, took } from '../format.js';
import { miss, steps, tag, verdict, who } from '../parts.js';

const listed = 200;

/** The heads of the columns, with the class that places them. */
export const columns = [
  ['tm', 'Time'],
  ['no', 'No.'],
  ['op', 'Order, operation'],
  ['ht', 'HTTP'],
  ['oc', 'Outcome'],
  ['am', 'Amount'],
  ['sv', 'Served from'],
  ['ru', 'Steps, rules'],
  ['ms', 'ms'],
];

/** Draws a line; start is when its flow began, and undefined if nobody knows. */
export function drawLine(line, start) {
  const element = line.group ? drawGroup(line) : drawRow(line.row, start);
  element.setAttribute('role', 'row');
  element.setAttribute('aria-level', line.level);
  element.setAttribute('aria-rowindex', line.index + 2); // the head is the first
  return element;
}

function cell(name, ...children) {
  return h('span', { class: name, role: name === 'op' ? 'rowheader' : 'gridcell' }, children);
}

function drawGroup({ group, folded }) {
  return h(
    'div',
    { class: `r g ${folded ? '' : 'open'}`, aria: { expanded: String(!folded) } },
    cell('tm', clock(group.at)),
    cell(
      'op',
      h('span', { class: 'fold', data: { act: 'fold' } }, icon(folded ? 'folded' : 'open', 'car')),
      who(group.who),
    ),
    cell('oc', groupOutcome(group)),
    cell('am', clip(group.amount?.text ?? '', 60)),
    cell('sv', groupServed(group)),
    cell('ru', steps(group.steps ?? [])),
    cell('ms', took(group.took)),
  );
}

// A flow that came to nothing but a miss has the miss as its outcome, which looks like one.
function groupOutcome(group) {
  const words = clip(group.outcome?.words ?? '', 60);
  return words.startsWith('miss: ') ? tag('miss', words) : verdict(group.outcome);
}

function groupServed(group) {
  const words = [
    group.hits > 0 && counted(group.hits, 'hit'),
    group.asked > 0 && `${group.asked} from sandbox`,
    group.ruled > 0 && `${group.ruled} by rule`,
    group.failed > 0 && `${group.failed} failed`,
  ].filter(Boolean);
  return [
    group.misses > 0 && tag('miss', counted(group.misses, 'miss', 'misses')),
    group.marked > 0 && tag('mark', `${group.marked} marked`, 'marked'),
    h('span', {}, words.join(', ')), // the end of it is cut where there is no room
  ];
}

function drawRow(row, start) {
  return h(
    'div',
    { class: `r ${kindClass(row)}` },
    cell('tm', start ? later(row.at, start) : clock(row.at)),
    cell('no', row.callback ? `c${row.callback}` : row.id),
    cell('op', operation(row)),
    cell(row.code >= 400 ? 'ht x' : 'ht', row.code || ''),
    cell('oc', outcome(row)),
    cell('am', clip(row.amount?.text ?? '', 60)),
    cell('sv', served(row)),
    cell(
      'ru',
      (row.rules ?? []).map((fired) =>
        tag('rule', [clip(fired.name, 40), fired.count].filter(Boolean).join(' '), 'rule'),
      ),
    ),
    cell('ms', row.took ? millis(row.took) : ''),
  );
}

function kindClass(row) {
  return { miss: 'e fail', failed: 'e bad', callback: 'c', note: 'n' }[row.sign] ?? 'e';
}

function operation(row) {
  const name = clip(row.operation || row.target || row.kind, listed);
  if (row.sign === 'callback') return [icon('callback'), ` callback ${name}`];
  if (row.sign === 'note') return [icon('note'), ` ${name}`];
  return h('code', {}, row.operation ? name : `${row.method ?? ''} ${name}`);
}

function outcome(row) {
  if (row.sign === 'miss') return miss(row);
  if (row.outcome?.words) return verdict(row.outcome);
  if (row.sign === 'callback') return callbackOutcome(row);
  if (row.sign === 'failed') return verdict({ words: row.problem || 'failed', tone: 'bad' });
  return row.sentence && h('span', { class: 't2' }, clip(row.sentence, listed));
}

// Words of proxy.Outcomes with the tone that they have for the shop.
const callbackTones = {
  accepted: 'good',
  refused: 'bad',
  unanswered: 'bad',
  held: 'waits',
  pending: 'waits',
};

function callbackOutcome(row) {
  const words = row.callbackOutcome;
  return (
    words &&
    verdict({ words: row.code ? `shop said ${row.code}` : words, tone: callbackTones[words] })
  );
}

const servedWords = {
  rule: 'made by rule',
  upstream: 'sandbox',
  deck: 'paytape',
  nothing: 'nothing',
};

/** Says where an answer came from: "checkout#4", "made by rule", "try 1 of 3". */
export function served(row) {
  if (row.sign === 'callback') {
    return row.attempt
      ? `try ${row.attempt}${row.attempts ? ` of ${row.attempts}` : ''}`
      : 'not sent yet';
  }
  const from = row.cassette && row.number ? `${row.cassette}#${row.number}` : '';
  const words = servedWords[row.served] ?? from;
  return [
    h('span', {}, row.served === 'upstream' && from ? `${words}, ${from}` : words),
    row.mark && tag('mark', clip(row.mark.split('=')[0], 40), 'marked'),
  ];
}
