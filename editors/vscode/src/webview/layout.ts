/** Where boxes, rows and lines of a lineage graph lie. Knows no DOM: texts are measured by who asks. */

import type { ELK, ElkExtendedEdge, ElkNode, ElkPoint } from 'elkjs';
import type { GraphEdge, GraphNode, GraphRelation, GraphRow, LineageGraph } from '../graph/protocol';

export const ROW = 22;
export const HEADER = 28;
const INDENT = 14;
const PADDING = 24;
const NARROWEST = 120;
const WIDEST = 420;
const DIRECT = new Set(['value', 'condition']);

export interface Measure {
  (text: string, strong: boolean): number;
}

export interface PlacedRow {
  row: GraphRow;
  node: GraphNode;
  y: number;
  indent: number;
}

export interface Box {
  relation: GraphRelation;
  x: number;
  y: number;
  width: number;
  height: number;
  rows: PlacedRow[];
}

export interface Line {
  edge: GraphEdge;
  points: ElkPoint[];
}

export interface Layout {
  boxes: Box[];
  lines: Line[];
  width: number;
  height: number;
}

export const keyOf = (node: GraphNode): string => node.join('\u0000');

/** Whether a line carries values; others decide rows, groups, windows or order. */
export const isDirect = (edge: GraphEdge): boolean => DIRECT.has(edge.role);

/** The graph without what only decides rows, and without the rows and boxes that nothing else leads to. */
export function directOnly(graph: LineageGraph): LineageGraph {
  const edges = graph.edges.filter(isDirect);
  const ends = new Set([...graph.focus, ...edges.flatMap((edge) => [edge.source, edge.target])].map(keyOf));
  const isUsed = (relation: GraphRelation, row: GraphRow): boolean => ends.has(keyOf([relation.id, ...row.path]));
  const relations = graph.relations
    .map((relation) => {
      const used = relation.rows.filter((row) => isUsed(relation, row));
      const leadsTo = (row: GraphRow): boolean =>
        used.some((other) => row.path.every((step, at) => other.path[at] === step));
      return { ...relation, rows: relation.rows.filter(leadsTo) };
    })
    .filter((relation) => relation.rows.length > 0 || ends.has(relation.id));
  return { ...graph, relations, edges };
}

/** Lays a graph out from left to right: sources, then what is made of them. */
export async function layOut(graph: LineageGraph, elk: ELK, measure: Measure): Promise<Layout> {
  const boxes = graph.relations.map((relation) => toBox(relation, measure));
  const known = new Set(boxes.flatMap((box) => [box.relation.id, ...box.rows.map((row) => keyOf(row.node))]));
  const edges = graph.edges.filter((edge) => known.has(keyOf(edge.source)) && known.has(keyOf(edge.target)));
  const placed: ElkNode = await elk.layout({
    id: 'graph',
    layoutOptions: {
      'elk.algorithm': 'layered',
      'elk.direction': 'RIGHT',
      'elk.edgeRouting': 'ORTHOGONAL',
      'elk.layered.spacing.nodeNodeBetweenLayers': '70',
      'elk.spacing.nodeNode': '28',
      'elk.layered.spacing.edgeNodeBetweenLayers': '18',
      'elk.layered.mergeEdges': 'false',
      'elk.layered.considerModelOrder.strategy': 'PREFER_NODES',
    },
    children: boxes.map(toElkNode),
    edges: edges.map((edge, at) => ({
      id: `edge ${at}`,
      sources: [`out ${keyOf(edge.source)}`],
      targets: [`in ${keyOf(edge.target)}`],
    })),
  });
  const places = new Map((placed.children ?? []).map((child) => [child.id, child]));
  const routes = new Map((placed.edges ?? []).map((route) => [route.id, route]));
  return {
    boxes: boxes.map((box) => ({ ...box, ...at(places.get(box.relation.id)) })),
    lines: edges.map((edge, index) => ({ edge, points: pointsOf(routes.get(`edge ${index}`)) })),
    width: placed.width ?? 0,
    height: placed.height ?? 0,
  };
}

function toBox(relation: GraphRelation, measure: Measure): Box {
  const rows = relation.rows.map((row, index) => ({
    row,
    node: [relation.id, ...row.path],
    y: HEADER + index * ROW,
    indent: row.depth * INDENT,
  }));
  const wanted = rows.map((one) => one.indent + measure(one.row.label, false) + 16 + measure(shortType(one.row.type), false));
  const width = Math.ceil(Math.max(NARROWEST, measure(relation.name, true) + 50, ...wanted) + 2 * PADDING);
  return {
    relation,
    x: 0,
    y: 0,
    width: Math.min(WIDEST, width),
    height: HEADER + rows.length * ROW + (rows.length > 0 ? 4 : 0),
    rows,
  };
}

/** `STRUCT<…>` for a long type: the rows below tell what is in it. */
export function shortType(type: string): string {
  if (type.length <= 24) {
    return type;
  }
  const open = type.search(/[<(]/);
  return open > 0 ? `${type.slice(0, open + 1)}…${type.includes('<') ? '>' : ')'}` : `${type.slice(0, 23)}…`;
}

function toElkNode(box: Box): ElkNode {
  const ends = [
    { key: box.relation.id, y: HEADER / 2 },
    ...box.rows.map((row) => ({ key: keyOf(row.node), y: row.y + ROW / 2 })),
  ];
  return {
    id: box.relation.id,
    width: box.width,
    height: box.height,
    layoutOptions: { 'elk.portConstraints': 'FIXED_POS' },
    ports: ends.flatMap((end) => [
      port(`in ${end.key}`, 'WEST', 0, end.y),
      port(`out ${end.key}`, 'EAST', box.width, end.y),
    ]),
  };
}

function port(id: string, side: string, x: number, y: number): NonNullable<ElkNode['ports']>[number] {
  return { id, x, y, width: 0, height: 0, layoutOptions: { 'elk.port.side': side } };
}

function at(node: ElkNode | undefined): { x: number; y: number } {
  return { x: node?.x ?? 0, y: node?.y ?? 0 };
}

function pointsOf(route: ElkExtendedEdge | undefined): ElkPoint[] {
  const section = route?.sections?.[0];
  return section ? [section.startPoint, ...(section.bendPoints ?? []), section.endPoint] : [];
}

/** The path of a line through points, its corners rounded. */
export function pathOf(points: ElkPoint[], radius = 7): string {
  const [first, ...rest] = points;
  if (!first) {
    return '';
  }
  let path = `M${first.x} ${first.y}`;
  let before = first;
  rest.forEach((point, index) => {
    const after = rest[index + 1];
    if (!after) {
      path += `L${point.x} ${point.y}`;
      return;
    }
    const arrive = towards(point, before, radius);
    const leave = towards(point, after, radius);
    path += `L${arrive.x} ${arrive.y}Q${point.x} ${point.y} ${leave.x} ${leave.y}`;
    before = point;
  });
  return path;
}

/** The point `distance` away from one point in the direction of another, half way at most. */
function towards(from: ElkPoint, to: ElkPoint, distance: number): ElkPoint {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const part = length > 0 ? Math.min(distance, length / 2) / length : 0;
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}

/** What a node depends on and what depends on it within the graph: the keys of all ends, and of the lines. */
export function traced(graph: LineageGraph, node: GraphNode): { nodes: Set<string>; edges: Set<GraphEdge> } {
  const nodes = new Set([keyOf(node)]);
  const edges = new Set<GraphEdge>();
  for (const [here, there] of [
    ['target', 'source'],
    ['source', 'target'],
  ] as const) {
    const waiting = [keyOf(node)];
    const seen = new Set(waiting);
    for (let current = waiting.pop(); current !== undefined; current = waiting.pop()) {
      for (const edge of graph.edges) {
        if (keyOf(edge[here]) !== current) {
          continue;
        }
        edges.add(edge);
        const next = keyOf(edge[there]);
        nodes.add(next);
        if (!seen.has(next)) {
          seen.add(next);
          waiting.push(next);
        }
      }
    }
  }
  return { nodes, edges };
}
