import { svg } from '../dom.js';
import { rowName } from '../parts/outcome.js';
import { layout } from './sequence.js';

/**
 * Draws the sequence diagram of a flow. Each step is a link to its exchange.
 * @param {object} flow of view.Flow
 * @param {Map<number, string>} marks what a comparison says of rows, by their id
 * @param {{address: (row: object) => string, open: (row: object) => void}} acts where the exchange
 *   of a row is shown, and what shows it
 * @returns {{element: SVGElement, steps: SVGElement[]}}
 */
export function diagram(flow, marks, acts) {
  const plan = layout(flow, marks);
  const steps = plan.items.filter((item) => item.row).map((item) => link(item, plan.width, acts));
  const notes = plan.items.filter((item) => item.kind === 'note').map((item) => note(item, plan));
  const element = svg(
    'svg',
    {
      class: 'seq',
      viewBox: `0 0 ${plan.width} ${plan.height}`,
      width: plan.width,
      height: plan.height,
      role: 'group',
      'aria-label': `Sequence of ${flow.rows.length} exchanges; the tab Table has the same content`,
    },
    plan.lanes.map((lane) => drawLane(lane, plan)),
    notes,
    steps,
  );
  return { element, steps };
}

function drawLane(lane, { head, height }) {
  return svg(
    'g',
    {},
    line(`M${lane.x} ${head - 6}V${height}`, 'life'),
    svg('rect', { class: 'lb', x: lane.x - 56, y: 4, width: 112, height: 40, rx: 5 }),
    text(lane.x, 21, 'lane', lane.title, 'middle'),
    text(lane.x, 37, 'lsub', lane.sub, 'middle'),
  );
}

function note(item, plan) {
  const middle = plan.width / 2;
  const wide = item.text.length * 6.4 + 16;
  const y = item.y + 16;
  return svg(
    'g',
    {},
    line(`M44 ${y}H${plan.width - 44}`, 'dots'),
    svg('rect', { class: 'bg', x: middle - wide / 2, y: y - 9, width: wide, height: 18 }),
    text(middle, y + 4, item.tone ? `state ${item.tone}` : 'gap', item.text, 'middle'),
  );
}

function link(item, width, { address, open }) {
  const sign = rowName(item.row);
  const click = (event) => {
    event.stopPropagation(); // the page's own listener expects links of HTML
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open(item.row);
  };
  return svg(
    'a',
    {
      class: `step ${item.row.sign} ${item.mark ? 'differs' : ''}`,
      href: address(item.row),
      on: { click },
    },
    svg('rect', {
      class: 'hit',
      x: 4,
      y: item.y,
      width: width - 8,
      height: item.height - 2,
      rx: 4,
    }),
    text(12, item.y + 20, 'n', sign),
    item.kind === 'tell' ? drawTell(item) : drawStep(item, width),
  );
}

function drawStep(item, width) {
  const right = item.to >= item.from;
  const sign = right ? 1 : -1;
  const y = item.y + 18;
  const back = item.y + 40;
  const at = item.from + sign * 8;
  const anchor = right ? 'start' : 'end';
  return [
    text(at, y - 5, 'mono', clip(item.asked, item.letters), anchor),
    line(`M${item.from} ${y}H${item.to - sign * 6}`, 'a'),
    arrow(item.to, y, sign, 'hd'),
    text(at, back - 6, `sm ${item.tone}`, clip(item.answered, item.letters + 4), anchor),
    line(`M${item.to} ${back}H${item.from + sign * 6}`, 'a re'),
    arrow(item.from, back, -sign, 'hd'),
    item.source && drawSource(item.source, y + 10),
    item.mark && text(width - 16, y + 2, 'dift', item.mark, 'end'),
  ];
}

function drawSource(source, y) {
  if (source.aside) {
    return [
      line(`M${source.from} ${y}H${source.to}`, 'tp aside'),
      text(source.to + 5, y + 4, 'mono tapet', source.text),
    ];
  }
  return [
    line(`M${source.from} ${y}H${source.to - 4}`, 'tp'),
    svg('circle', { class: 'hdt', cx: source.to, cy: y, r: 3.5 }),
    text(source.to + 8, y + 4, 'mono tapet', source.text),
  ];
}

function drawTell(item) {
  const y = item.y + 19;
  const kind = item.refused ? 'er' : item.held ? 'cbl held' : 'cbl';
  return [
    line(`M${item.from} ${y}H${item.to - 6}`, kind),
    arrow(item.to, y, 1, item.refused ? 'hde' : 'hdc'),
    text((item.from + item.to) / 2, y - 5, 'callt', item.asked, 'middle'),
    text(item.to + 8, y + 4, item.refused ? 'bad' : 'good', item.answered),
  ];
}

function line(d, name) {
  return svg('path', { class: name, d });
}

/** A text, and a space after it: the name of a step is all of its texts. */
function text(x, y, name, content, anchor = 'start') {
  return [svg('text', { x, y, class: name, 'text-anchor': anchor }, content), ' '];
}

/** A head of an arrow that points to the right (1) or to the left (-1). */
function arrow(x, y, sign, name) {
  return svg('path', { class: name, d: `M${x} ${y}l${-8 * sign} -3.5v7z` });
}

function clip(content, letters) {
  return content.length > letters ? `${content.slice(0, Math.max(letters - 1, 1))}…` : content;
}
