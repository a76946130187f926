/** What the server answers to `sqlLineage/graph` (docs/protocol.md), and what the graph's page and the editor say. */

import type { Location } from 'vscode-languageserver-protocol';

/** A relation's id, then the steps of a field path. */
export type GraphNode = readonly string[];

export type Direction = 'up' | 'down' | 'both';

export interface GraphRow {
  path: string[];
  label: string;
  depth: number;
  type: string;
  location: Location | null;
  used: boolean;
  up: boolean;
  down: boolean;
}

export interface GraphRelation {
  id: string;
  name: string;
  kind: string;
  location: Location | null;
  rows: GraphRow[];
  up: boolean;
  down: boolean;
}

export interface GraphEdge {
  source: GraphNode;
  target: GraphNode;
  role: string;
  transform: string;
}

export interface LineageGraph {
  focus: GraphNode[];
  relations: GraphRelation[];
  edges: GraphEdge[];
  truncated: boolean;
  mermaid?: string;
}

export interface GraphStep {
  nodes: GraphNode[];
  direction: Direction;
  depth: number;
}

export type ToPage = { type: 'graph'; graph: LineageGraph } | { type: 'failed'; message: string };

export type Format = 'svg' | 'png' | 'mermaid';

export type ToEditor =
  | { type: 'ready' }
  | { type: 'open'; location: Location }
  | { type: 'expand'; node: GraphNode; direction: 'up' | 'down' }
  | { type: 'refresh' }
  | { type: 'export'; format: Format; data: string };
