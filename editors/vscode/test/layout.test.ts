/** How a lineage graph is laid out, filtered and traced. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import ELK from 'elkjs/lib/elk.bundled.js';
import type { GraphEdge, GraphRelation, LineageGraph } from '../src/graph/protocol';
import { directOnly, keyOf, layOut, pathOf, shortType, traced } from '../src/webview/layout';

function relation(id: string, ...paths: string[][]): GraphRelation {
  const rows = paths.map((path) => ({
    path, label: path.at(-1) ?? '', depth: path.length - 1, type: '', location: null, used: true, up: false, down: false,
  }));
  return { id, name: id, kind: 'table', location: null, rows, up: false, down: false };
}

const edge = (source: string[], target: string[], role = 'value'): GraphEdge => ({ source, target, role, transform: 'IDENTITY' });

const GRAPH: LineageGraph = {
  focus: [['v', 'c']],
  relations: [
    relation('t', ['addr'], ['addr', 'city'], ['ok']),
    relation('v', ['c']),
    relation('w', ['n']),
    relation('f', ['flag']),
  ],
  edges: [
    edge(['t', 'addr', 'city'], ['v', 'c']),
    edge(['t', 'ok'], ['v'], 'membership'),
    edge(['v', 'c'], ['w', 'n']),
    edge(['f', 'flag'], ['w', 'n'], 'window'),
  ],
  truncated: false,
};

test('boxes go from the sources to the right, and rows lie in them', async () => {
  const layout = await layOut(GRAPH, new ELK(), (text) => text.length * 7);
  const at = new Map(layout.boxes.map((box) => [box.relation.id, box]));
  const [t, v, w] = [at.get('t'), at.get('v'), at.get('w')];
  assert.ok(t && v && w);
  assert.ok(t.x + t.width <= v.x && v.x + v.width <= w.x);
  assert.equal(layout.lines.length, 4);
  const line = layout.lines[0]?.points;
  assert.ok(line && line.length >= 2);
  const row = t.rows.find((one) => keyOf(one.node) === keyOf(['t', 'addr', 'city']));
  assert.ok(row);
  assert.equal(line[0]?.x, t.x + t.width);
  assert.equal(line[0]?.y, t.y + row.y + 11);
  assert.ok(t.rows.every((one) => one.y + 22 <= t.height));
});

test('boxes do not lie over each other', async () => {
  const { boxes } = await layOut(GRAPH, new ELK(), (text) => text.length * 7);
  for (const one of boxes) {
    for (const other of boxes) {
      const apart = one.x + one.width <= other.x || other.x + other.width <= one.x || one.y + one.height <= other.y || other.y + other.height <= one.y;
      assert.ok(one === other || apart, `${one.relation.id} lies over ${other.relation.id}`);
    }
  }
});

test('without what decides rows only values are left, with the records around them', () => {
  const direct = directOnly(GRAPH);
  assert.deepEqual(direct.edges.map((one) => one.role), ['value', 'value']);
  assert.deepEqual(direct.relations.map((one) => one.id), ['t', 'v', 'w']);
  assert.deepEqual(direct.relations[0]?.rows.map((row) => row.path.join('.')), ['addr', 'addr.city']);
});

test('a row is traced both ways, and no further than its own way', () => {
  const { nodes, edges } = traced(GRAPH, ['v', 'c']);
  assert.deepEqual([...nodes].sort(), [['t', 'addr', 'city'], ['v', 'c'], ['w', 'n']].map(keyOf).sort());
  assert.equal(edges.size, 2);
});

test('a circle is laid out and traced', async () => {
  const circle = { ...GRAPH, edges: [edge(['v', 'c'], ['w', 'n']), edge(['w', 'n'], ['v', 'c']), edge(['v', 'c'], ['v', 'c'])] };
  const layout = await layOut(circle, new ELK(), () => 40);
  assert.equal(layout.lines.every((line) => line.points.length >= 2), true);
  assert.equal(traced(circle, ['v', 'c']).edges.size, 3);
});

test('paths round their corners and go nowhere without points', () => {
  assert.equal(pathOf([]), '');
  assert.equal(pathOf([{ x: 0, y: 0 }, { x: 10, y: 0 }]), 'M0 0L10 0');
  assert.equal(pathOf([{ x: 0, y: 0 }, { x: 20, y: 0 }, { x: 20, y: 30 }], 5), 'M0 0L15 0Q20 0 20 5L20 30');
});

test('a long type is told by its outermost word', () => {
  assert.equal(shortType('ARRAY<INT64>'), 'ARRAY<INT64>');
  assert.equal(shortType('STRUCT<street STRING, city STRING>'), 'STRUCT<…>');
  assert.equal(shortType('ROW(street VARCHAR, city VARCHAR)'), 'ROW(…)');
});
