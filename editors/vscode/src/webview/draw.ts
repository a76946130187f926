/** Draws a laid out graph as SVG. Colours are written into the elements, so that an exported picture has them too. */

import type { GraphEdge, GraphNode } from '../graph/protocol';
import { HEADER, ROW, isDirect, keyOf, pathOf, shortType, type Box, type Layout, type Line, type PlacedRow } from './layout';

const SVG = 'http://www.w3.org/2000/svg';
const MARGIN = 16;

export interface Theme {
  background: string;
  foreground: string;
  muted: string;
  box: string;
  header: string;
  border: string;
  focus: string;
  direct: string;
  indirect: string;
  font: string;
  size: number;
}

export interface Actions {
  open(target: GraphNode): void;
  expand(node: GraphNode, direction: 'up' | 'down'): void;
  trace(node: GraphNode | undefined): void;
}

const DASHES: Record<string, string> = {
  membership: '6 4',
  grouping: '2 4',
  window: '8 3 2 3',
  ordering: '1 3',
};

/** The dashes of a role's line; '' is solid. */
export const dashesOf = (role: string): string => DASHES[role] ?? '';

export function element(name: string, attributes: Record<string, string | number>, ...children: (Node | string)[]): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, String(value));
  }
  made.append(...children);
  return made;
}

export interface Drawing {
  svg: SVGSVGElement;
  /** What can be dimmed, by the node or line that it shows. */
  rows: Map<string, SVGElement>;
  lines: Map<GraphEdge, SVGElement>;
}

export function draw(layout: Layout, focus: Set<string>, theme: Theme, actions: Actions): Drawing {
  const width = layout.width + 2 * MARGIN;
  const height = layout.height + 2 * MARGIN;
  const svg = element('svg', {
    xmlns: SVG,
    width,
    height,
    viewBox: `${-MARGIN} ${-MARGIN} ${width} ${height}`,
    'font-family': theme.font,
    'font-size': theme.size,
    role: 'group',
    'aria-label': 'Lineage graph',
  }) as SVGSVGElement;
  svg.append(
    element('defs', {}, arrowHead('direct', theme.direct), arrowHead('indirect', theme.indirect)),
    element('rect', { x: -MARGIN, y: -MARGIN, width, height, fill: theme.background, class: 'paper' }),
  );
  const lines = new Map<GraphEdge, SVGElement>();
  for (const line of layout.lines) {
    const drawn = drawLine(line, theme);
    lines.set(line.edge, drawn);
    svg.append(drawn);
  }
  const rows = new Map<string, SVGElement>();
  layout.boxes.forEach((box, index) => svg.append(drawBox(box, index, focus, theme, actions, rows)));
  return { svg, rows, lines };
}

function arrowHead(id: string, colour: string): SVGElement {
  return element(
    'marker',
    { id, viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto-start-reverse' },
    element('path', { d: 'M0 0.5L8 4L0 7.5Z', fill: colour }),
  );
}

function drawLine(line: Line, theme: Theme): SVGElement {
  const direct = isDirect(line.edge);
  const { role, transform } = line.edge;
  const path = element(
    'path',
    {
      d: pathOf(line.points),
      fill: 'none',
      stroke: direct ? theme.direct : theme.indirect,
      'stroke-width': direct ? 1.6 : 1.2,
      'marker-end': `url(#${direct ? 'direct' : 'indirect'})`,
      'data-role': role,
      class: 'line',
    },
    element('title', {}, direct ? `${role} · ${transform}` : role),
  );
  if (dashesOf(role)) {
    path.setAttribute('stroke-dasharray', dashesOf(role));
  }
  return path;
}

function drawBox(
  box: Box,
  index: number,
  focus: Set<string>,
  theme: Theme,
  actions: Actions,
  rows: Map<string, SVGElement>,
): SVGElement {
  const { relation, width, height } = box;
  const node = [relation.id];
  const clip = `clip${index}`;
  const border = focus.has(relation.id) ? theme.focus : theme.border;
  const outline = { width, height, rx: 4 };
  const header = element('g', { class: 'row header', tabindex: 0, role: 'button', 'aria-label': `${relation.kind} ${relation.name}` });
  header.append(
    element('rect', { width, height: HEADER, fill: theme.header, class: 'hit' }),
    element('text', { x: 24, y: HEADER / 2, 'dominant-baseline': 'central', 'font-weight': 600, fill: theme.foreground }, relation.name),
    element(
      'text',
      { x: width - 24, y: HEADER / 2, 'dominant-baseline': 'central', 'text-anchor': 'end', fill: theme.muted, 'font-size': theme.size - 2 },
      relation.kind,
    ),
    element('title', {}, relation.name),
  );
  listen(header, node, relation.location !== null, actions);
  rows.set(relation.id, header);
  const inside = element('g', { 'clip-path': `url(#${clip})` }, header);
  for (const placed of box.rows) {
    const drawn = drawRow(placed, width, focus, theme, actions);
    rows.set(keyOf(placed.node), drawn);
    inside.append(drawn);
  }
  const group = element(
    'g',
    { transform: `translate(${box.x} ${box.y})`, 'data-relation': relation.name },
    element('clipPath', { id: clip }, element('rect', outline)),
    element('rect', { ...outline, fill: theme.box }),
    inside,
    element('rect', { ...outline, fill: 'none', stroke: border, 'stroke-width': focus.has(relation.id) ? 2 : 1, 'pointer-events': 'none' }),
  );
  for (const way of ['up', 'down'] as const) {
    if (relation[way]) {
      group.append(more(node, way, width, HEADER / 2, relation.name, theme, actions));
    }
    for (const placed of box.rows.filter((one) => one.row[way])) {
      group.append(more(placed.node, way, width, placed.y + ROW / 2, placed.row.label, theme, actions));
    }
  }
  return group;
}

function drawRow(placed: PlacedRow, width: number, focus: Set<string>, theme: Theme, actions: Actions): SVGElement {
  const { row, node, y, indent } = placed;
  const centre = y + ROW / 2;
  const focused = focus.has(keyOf(node));
  const name = row.path.join('.').replaceAll('.[', '[');
  const drawn = element('g', { class: 'row', tabindex: 0, role: 'button', 'aria-label': name, 'data-path': name });
  drawn.append(
    element('rect', { y, width, height: ROW, fill: focused ? theme.focus : theme.box, 'fill-opacity': focused ? 0.3 : 1, class: 'hit' }),
    element(
      'text',
      { x: 24 + indent, y: centre, 'dominant-baseline': 'central', fill: row.used ? theme.foreground : theme.muted, 'font-weight': focused ? 600 : 400 },
      row.label,
    ),
    element(
      'text',
      { x: width - 24, y: centre, 'dominant-baseline': 'central', 'text-anchor': 'end', fill: theme.muted, 'font-size': theme.size - 2 },
      shortType(row.type),
    ),
    element('title', {}, row.type ? `${name} : ${row.type}` : name),
  );
  listen(drawn, node, row.location !== null, actions);
  return drawn;
}

function listen(drawn: SVGElement, node: GraphNode, opens: boolean, actions: Actions): void {
  drawn.addEventListener('mouseenter', () => actions.trace(node));
  drawn.addEventListener('mouseleave', () => actions.trace(undefined));
  if (!opens) {
    return;
  }
  drawn.classList.add('opens');
  drawn.addEventListener('click', () => actions.open(node));
  onEnter(drawn, () => actions.open(node));
}

function onEnter(drawn: SVGElement, act: () => void): void {
  drawn.addEventListener('keydown', (event) => {
    if (event instanceof KeyboardEvent && (event.key === 'Enter' || event.key === ' ')) {
      event.preventDefault();
      act();
    }
  });
}

/** The button at the side of a row behind which more is to be seen. */
function more(
  node: GraphNode,
  way: 'up' | 'down',
  width: number,
  y: number,
  name: string,
  theme: Theme,
  actions: Actions,
): SVGElement {
  const x = way === 'up' ? 11 : width - 11;
  const label = `${way === 'up' ? 'Sources' : 'Uses'} of ${name}`;
  const button = element(
    'g',
    { class: `more ${way}`, tabindex: 0, role: 'button', 'aria-label': label },
    element('circle', { cx: x, cy: y, r: 7, fill: theme.box, stroke: theme.muted }),
    element('path', { d: `M${x - 3.5} ${y}h7M${x} ${y - 3.5}v7`, stroke: theme.foreground, 'stroke-width': 1.3 }),
    element('title', {}, label),
  );
  button.addEventListener('click', () => actions.expand(node, way));
  onEnter(button, () => actions.expand(node, way));
  return button;
}
