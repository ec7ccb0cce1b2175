// Where everything of a sequence diagram stands. Nothing here draws: the layout is plain data, and
// diagram.js makes SVG of it.
//
//   client      deck   tape     shop       lanes
//     | register  |      |        |        step: an arrow, its answer, and the recording
//     |---------->|-----*#9       |
//     |<- - - - - |      |        |
//     . . . . . 4.2 s pass. . . . .        note
//     |           |------------->|  200    tell: a callback, one arrow for each attempt

import { clip, took } from '../format.js';
import { firedRules, rowOperation } from '../parts/outcome.js';
import { between } from '../parts/times.js';

const head = 52; // height of the names of the lanes, in pixels like all below
const heights = { step: 48, tell: 26, note: 30 };
const margin = { left: 96, right: 96 };
const least = 960; // a diagram with few lanes is spread to this width
const pause = 1e9; // nanoseconds between two steps, from which on the pause is shown

/** What people call the actors, and the room that a lane leaves to the next one. */
const actors = {
  client: { title: 'client', sub: 'shop server', room: 210 },
  deck: { title: 'deck', sub: 'paytape', room: 120 },
  tape: { title: 'tape', sub: 'recorded', room: 170 },
  sandbox: { title: 'sandbox', sub: 'upstream', room: 170 },
  browser: { title: 'browser', sub: 'the customer', room: 160 },
  acs: { title: 'ACS', sub: "the issuer's pages", room: 160 },
  shop: { title: 'shop', sub: 'callback address', room: 0 },
};

/**
 * Lays out the sequence diagram of a flow.
 * @param {{rows: object[], actors: string[], states?: object[]}} flow of view.Flow
 * @param {Map<number, string>} marks what a comparison says of rows, by their id
 * @returns {{width: number, height: number, lanes: object[], items: object[]}}
 */
export function layout(flow, marks = new Map()) {
  const { lanes, width } = placeLanes(flow.actors ?? []);
  const x = Object.fromEntries(lanes.map((lane) => [lane.actor, lane.x]));
  const items = [];
  let y = head + 8;
  const add = (item) => {
    items.push({ ...item, y, height: heights[item.kind] });
    y += heights[item.kind];
  };
  let last = null;
  for (const rows of together(flow.rows, marks)) {
    const row = rows[0];
    const idle = last ? between(last.at, row.at) - (last.took ?? 0) : 0;
    if (idle > pause) add({ kind: 'note', text: `${took(idle)} pass` });
    add(row.callback ? tell(row, x) : step(rows, x, marks.get(row.id)));
    last = rows.at(-1);
    for (const text of reached(flow.states ?? [], rows)) add({ kind: 'note', ...text });
  }
  return { width, height: y + 12, head, lanes, items };
}

function placeLanes(present) {
  const names = Object.keys(actors).filter((name) => present.includes(name));
  const rooms = names.slice(0, -1).map((name) => actors[name].room);
  const natural = rooms.reduce((sum, room) => sum + room, 0);
  const spread = Math.max(1, (least - margin.left - margin.right) / (natural || 1));
  let x = margin.left;
  const lanes = names.map((actor, i) => {
    const lane = { actor, x: Math.round(x), title: actors[actor].title, sub: actors[actor].sub };
    x += (rooms[i] ?? 0) * spread;
    return lane;
  });
  return { lanes, width: Math.round(x) + margin.right };
}

/**
 * Puts equal calls that follow one another together: a client that polls is one step. A row that is
 * marked stays by itself.
 */
function together(rows, marks) {
  const same = (a, b) =>
    !a.callback &&
    !b.callback &&
    a.operation === b.operation &&
    a.from === b.from &&
    a.sign === b.sign &&
    a.code === b.code &&
    a.outcome?.words === b.outcome?.words &&
    !marks.has(b.id);
  const runs = [];
  for (const row of rows) {
    const run = runs.at(-1);
    if (run && same(run[0], row)) run.push(row);
    else runs.push([row]);
  }
  return runs;
}

function step(rows, x, mark) {
  const row = rows[0];
  const from = x[row.from] ?? x.client;
  const to = x[row.to] ?? x.deck;
  return {
    kind: 'step',
    row,
    from,
    to,
    mark,
    asked: rowOperation(row),
    answered: [answer(row), again(rows)].filter(Boolean).join('; '),
    tone: row.outcome?.tone ?? '',
    source: source(row, x),
    letters: Math.floor((Math.abs(to - from) - 16) / 6.6),
  };
}

function answer(row) {
  const words = row.outcome?.words || row.reason || row.problem || '';
  const codes = row.outcome?.codes ?? '';
  const rules = firedRules(row);
  return [row.code || 'no answer', words, codes, rules && `by ${rules}`].filter(Boolean).join(' ');
}

function again(rows) {
  if (rows.length === 1) return '';
  const numbers = rows
    .slice(1, 4)
    .map((row) => `#${row.id}`)
    .join(', ');
  return rows.length > 4 ? `again in ${numbers}, ${rows.length - 4} more` : `again in ${numbers}`;
}

/**
 * From where an answer came: a line from the deck to the tape or the sandbox. Where another actor
 * answers, such as the ACS, a short line beside that actor names the recording.
 */
function source(row, x) {
  const lane = { served: x.tape, recorded: x.sandbox, passed: x.sandbox }[row.kind];
  if (lane === undefined) return null;
  const text = row.number ? `#${row.number}` : '';
  if (row.to === 'deck' || x[row.to] === undefined) return { from: x.deck, to: lane, text };
  return { from: x[row.to], to: x[row.to] + 34, text, aside: true };
}

function tell(row, x) {
  const refused = row.outcome?.tone === 'bad';
  const attempts = row.attempts ? `${row.attempt} of ${row.attempts}` : `${row.attempt ?? 1}`;
  return {
    kind: 'tell',
    row,
    from: x.deck,
    to: x.shop ?? x.deck,
    refused,
    held: row.outcome?.tone === 'waits',
    asked: `callback ${row.operation ?? ''}, try ${attempts}`,
    answered: row.code ? String(row.code) : (row.callbackOutcome ?? ''),
  };
}

/** The states that were reached by some rows: "state: at the ACS to paid". */
function* reached(states, rows) {
  for (let i = 1; i < states.length; i++) {
    const state = states[i];
    if (!rows.some((row) => row.id === state.id)) continue;
    const words = `state: ${clip(states[i - 1].words, 40)} to ${clip(state.words, 40)}`;
    yield { text: words, tone: state.tone || 'plain' };
  }
}
