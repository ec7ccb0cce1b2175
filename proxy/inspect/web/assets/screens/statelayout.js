// Where the states of a tape and the ways between them stand. Nothing here draws. The server gives
// each state a column and a row; this module gives each arrow a place where it arrives, so that no
// two labels stand on each other.
//
//   start --register.do--> [registered] --pay--+--> [paid]
//                                              +--> [declined]

const node = { width: 172, height: 50 };
const gap = { column: 208, row: 34 };
const margin = { left: 24, top: 34, right: 24, bottom: 24 };
const lane = 32; // height that an arrow with its two lines of words takes

/**
 * Lays out the machine of one kind.
 * @param {{nodes: object[], edges: object[]}} machine nodes and edges of view.Machine
 * @returns {{width: number, height: number, nodes: object[], edges: object[], start?: object}}
 */
export function layout({ nodes, edges }) {
  const births = edges.some((edge) => !edge.from);
  const bundles = bundle(edges);
  const incoming = (id) => bundles.filter((way) => way.to === id);
  const size = (n) => Math.max(node.height, incoming(n.id).length * lane + 10);
  const rows = rowPlaces(nodes, size);
  const left = margin.left + (births ? gap.column - 60 : 0);
  const placed = new Map(
    nodes.map((n) => [
      n.id,
      {
        node: n,
        x: left + n.column * (node.width + gap.column),
        y: rows.get(n.row),
        width: node.width,
        height: size(n),
      },
    ]),
  );
  const start = births ? startPlace(placed) : null;
  const ways = bundles
    .filter((way) => placed.has(way.to) && (!way.from || placed.has(way.from)))
    .map((way) => route(way, placed, start, incoming(way.to)));
  const all = [...placed.values()];
  return {
    width: Math.max(...all.map((p) => p.x + p.width), ...ways.map(wordsEnd), 0) + margin.right,
    height: Math.max(...all.map((p) => p.y + p.height), 0) + margin.bottom,
    nodes: all,
    edges: ways,
    start,
  };
}

/** Puts the edges between the same two states together: one arrow, with the words of each. */
function bundle(edges) {
  const ways = Map.groupBy(edges, (edge) => `${edge.from ?? ''} ${edge.to}`);
  return [...ways.values()].map((all) => ({
    from: all[0].from ?? '',
    to: all[0].to,
    edges: all,
    asked: all.reduce((sum, edge) => sum + edge.asked, 0),
    silent: all.every((edge) => edge.silent),
  }));
}

function rowPlaces(nodes, size) {
  const heights = new Map();
  for (const n of nodes) heights.set(n.row, Math.max(heights.get(n.row) ?? 0, size(n)));
  const places = new Map();
  let y = margin.top;
  for (const row of [...heights.keys()].sort((a, b) => a - b)) {
    places.set(row, y);
    y += heights.get(row) + gap.row;
  }
  return places;
}

function startPlace(placed) {
  const first = [...placed.values()].sort((a, b) => a.node.column - b.node.column || a.y - b.y)[0];
  return { x: margin.left, y: first.y + first.height / 2 };
}

/**
 * The path of an arrow. It leaves at the right of its state, turns in the gap before the column of
 * the other state, and arrives in a lane of its own, where its words stand.
 */
function route(way, placed, start, incoming) {
  const to = placed.get(way.to);
  const from = placed.get(way.from);
  const y2 =
    to.y + (to.height / (incoming.length + 1)) * (order(incoming, placed).indexOf(way) + 1);
  const x1 = from ? from.x + from.width : start.x + 8;
  const y1 = from ? from.y + from.height / 2 : start.y;
  if (from && from.node.column >= to.node.column) return { ...way, ...backward(from, to, y1, y2) };
  const turn = to.x - gap.column + (from ? 14 : 74);
  const bend = Math.min(10, Math.abs(y2 - y1) / 2) * Math.sign(y2 - y1);
  const path =
    y1 === y2
      ? `M${x1} ${y1}H${to.x - 8}`
      : `M${x1} ${y1}H${turn - 10}q10 0 10 ${bend}V${y2 - bend}q0 ${bend} 10 ${bend}H${to.x - 8}`;
  const left = y1 === y2 && !from ? x1 : turn + 8;
  return {
    ...way,
    path,
    tip: { x: to.x, y: y2, sign: 1 },
    words: { x: (left + to.x - 8) / 2, y: y2 },
  };
}

/** An arrow to the same column, or to one before it: out at the right, and in at the right. */
function backward(from, to, y1, y2) {
  const right = Math.max(from.x + from.width, to.x + to.width);
  const turn = right + 22;
  const path =
    from === to
      ? `M${right} ${y1 - 8}h14q8 0 8 8t-8 8H${right + 8}`
      : `M${from.x + from.width} ${y1}H${turn}V${y2}H${to.x + to.width + 8}`;
  return {
    path,
    beside: true,
    tip: { x: to.x + to.width, y: from === to ? y1 + 8 : y2, sign: -1 },
    words: { x: turn + 6, y: (y1 + y2) / 2 },
  };
}

/** The arrows into a state from top to bottom, in the order of where they come from. */
function order(incoming, placed) {
  const height = (way) => placed.get(way.from)?.y ?? 0;
  return [...incoming].sort((a, b) => height(a) - height(b));
}

/** Where the words of an arrow end that runs beside its states. */
function wordsEnd(way) {
  return way.beside ? way.words.x + gap.column - 40 : 0;
}
