import { h, svg } from '../dom.js';
import { clip, counted } from '../format.js';
import { layout } from './statelayout.js';

const letters = 25; // of a label, in the gap between two columns

/** How many times something was asked for: "never asked", "asked once", "asked 3 times". */
export function askedWords(n) {
  if (n === 0) return 'never asked';
  return n === 1 ? 'asked once' : `asked ${n} times`;
}

/**
 * Draws states and the ways between them. States and ways are buttons.
 * @param {{nodes: object[], edges: object[]}} machine nodes and edges of view.Machine, of one kind
 * @param {{label: string, choose: (chosen: object) => void}} options choose gets {node} or {edges}
 * @returns {{element: SVGElement, nodes: Map<string, SVGElement>, ways: Map<object, SVGElement>}}
 */
export function stateGraph(machine, { label, choose }) {
  const plan = layout(machine);
  const nodes = new Map(plan.nodes.map((place) => [place.node.id, drawNode(place, choose)]));
  const ways = new Map(plan.edges.map((way) => [way, drawWay(way, machine, choose)]));
  const element = svg(
    'svg',
    {
      class: 'graph',
      viewBox: `0 0 ${plan.width} ${plan.height}`,
      width: plan.width,
      height: plan.height,
      role: 'group',
      aria: { label },
      data: { keys: 'graph' },
    },
    plan.start && drawStart(plan.start),
    [...ways.values()],
    [...nodes.values()],
  );
  return { element, nodes, ways };
}

function drawStart({ x, y }) {
  return svg(
    'g',
    { aria: { hidden: 'true' } },
    svg('circle', { class: 'ar', cx: x, cy: y, r: 7 }),
    svg('text', { class: 'sm', x: x - 10, y: y - 13 }, 'start'),
  );
}

/**
 * Lets an element of SVG be pressed like a button, by pointer and by keys. Its label begins with the
 * words that are seen; spaces between texts keep them apart for whoever reads the content.
 */
function pressable(label, press) {
  return {
    role: 'button',
    tabindex: -1,
    aria: { label, pressed: 'false' },
    on: {
      click: press,
      keydown: (event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        press();
      },
    },
  };
}

/**
 * The name of a state as people say it.
 * @param {object} node of view.Node
 */
export function nodeName(node) {
  return node.name || node.words || `state ${node.number}`;
}

/**
 * What leads from one state to another, as people say it. A change that no write explains has been
 * seen in the answers alone.
 * @param {object} edge of view.Edge
 */
export function edgeName(edge) {
  return edge.silent ? 'no write' : edge.label || edge.operation;
}

function drawNode({ node, x, y, width, height }, choose) {
  const recordings = counted(node.recordings?.length ?? 0, 'recording');
  const live = node.liveCount > 0 ? `${recordings}, ${node.liveCount} live` : recordings;
  const never = node.asked === 0 ? 'never' : '';
  const middle = y + height / 2;
  const name = clip(nodeName(node), node.code ? 19 - node.code.length : 20);
  const label = [name, node.code, live, askedWords(node.asked)].filter(Boolean).join(' ');
  return svg(
    'g',
    { class: `state ${never}`, ...pressable(label, () => choose({ node })) },
    svg('rect', { class: `nd ${node.tone ?? ''}`, x, y, width, height, rx: 8 }),
    svg('text', { class: `nt ${node.tone ?? ''}`, x: x + 12, y: middle - 4 }, name),
    ' ',
    svg(
      'text',
      { class: 'mono', x: x + width - 12, y: middle - 4, 'text-anchor': 'end' },
      node.code,
    ),
    ' ',
    svg('text', { class: 'sm', x: x + 12, y: middle + 13 }, live),
  );
}

function drawWay(way, machine, choose) {
  const name = (id) => nodeName(machine.nodes.find((node) => node.id === id) ?? {});
  const { tip, words } = way;
  const first = way.edges[0];
  const operation = edgeName(first);
  const more = way.edges.length > 1 ? `and ${way.edges.length - 1} more, ` : '';
  const anchor = way.beside ? 'start' : 'middle';
  const shown = [clip(operation, letters), more + askedWords(way.asked)];
  const label = `${shown.join(' ')}, from ${way.from ? name(way.from) : 'start'} to ${name(way.to)}`;
  const kind = [way.silent && 'silent', way.asked === 0 && 'never', way.asked > 2 && 'often'];
  return svg(
    'g',
    {
      class: `way ${kind.filter(Boolean).join(' ')}`,
      ...pressable(label, () => choose({ edges: way.edges })),
    },
    svg('path', { class: 'hit', d: way.path }),
    svg('path', { class: 'ed', d: way.path }),
    svg('path', { class: 'ar', d: `M${tip.x} ${tip.y}l${-9 * tip.sign} -4v8z` }),
    svg('text', { class: 'mono', x: words.x, y: words.y - 6, 'text-anchor': anchor }, shown[0]),
    ' ',
    svg('text', { class: 'sm', x: words.x, y: words.y + 13, 'text-anchor': anchor }, shown[1]),
  );
}

/** The legend of the lines. */
export function graphLegend() {
  const sample = (name, text) =>
    h(
      'span',
      {},
      svg(
        'svg',
        {
          class: 'graph sample',
          viewBox: '0 0 26 8',
          width: 26,
          height: 8,
          aria: { hidden: 'true' },
        },
        svg('g', { class: `way ${name}` }, svg('path', { class: 'ed', d: 'M1 4H25' })),
      ),
      text,
    );
  return h(
    'p',
    { class: 'legend pad' },
    sample('often', 'asked in this run, thicker is oftener'),
    sample('never', 'on tape, never asked'),
    sample('silent', 'changes by itself, no write explains it'),
  );
}
