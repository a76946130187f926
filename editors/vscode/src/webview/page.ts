/** The page of the lineage graph: shows what the editor sends, and tells it what is clicked. */

import ELK from 'elkjs/lib/elk.bundled.js';
import type { GraphNode, LineageGraph, ToEditor, ToPage } from '../graph/protocol';
import { dashesOf, draw, element, type Actions, type Drawing, type Theme } from './draw';
import { directOnly, keyOf, layOut, traced, type Measure } from './layout';
import { Viewport } from './viewport';

declare function acquireVsCodeApi(): { postMessage(message: ToEditor): void };

const ROLES = ['value', 'membership', 'grouping', 'window', 'ordering'];
// A picture for a document is drawn finer than a screen.
const PNG_SCALE = 2;

const editor = acquireVsCodeApi();
const elk = new ELK();
const stage = part('stage');
const status = part('status');
const indirect = part('indirect') as HTMLInputElement;
const viewport = new Viewport(stage);

let graph: LineageGraph | undefined;
let drawing: Drawing | undefined;
let shown = 0;

function part(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) {
    throw new Error(`the page has no '${id}'`);
  }
  return found;
}

function readTheme(): Theme {
  const style = getComputedStyle(document.body);
  const colour = (...names: string[]): string =>
    names.map((name) => style.getPropertyValue(`--vscode-${name}`).trim()).find(Boolean) ?? '#888888';
  return {
    background: colour('editor-background'),
    foreground: colour('editor-foreground', 'foreground'),
    muted: colour('descriptionForeground', 'disabledForeground'),
    box: colour('editorWidget-background', 'sideBar-background'),
    header: colour('sideBarSectionHeader-background', 'list-inactiveSelectionBackground', 'editorWidget-background'),
    border: colour('contrastBorder', 'editorWidget-border', 'panel-border'),
    focus: colour('focusBorder', 'charts-blue'),
    direct: colour('charts-blue', 'textLink-foreground'),
    indirect: colour('charts-orange', 'descriptionForeground'),
    font: style.getPropertyValue('--vscode-font-family') || 'sans-serif',
    size: 12,
  };
}

function measureWith(theme: Theme): Measure {
  const context = document.createElement('canvas').getContext('2d');
  return (text, strong) => {
    if (!context) {
      return text.length * 7;
    }
    context.font = `${strong ? 600 : 400} ${theme.size}px ${theme.font}`;
    return context.measureText(text).width;
  };
}

const actions: Actions = {
  open(node) {
    const relation = graph?.relations.find((one) => one.id === node[0]);
    const row = relation?.rows.find((one) => keyOf([relation.id, ...one.path]) === keyOf(node));
    const location = row?.location ?? relation?.location;
    if (location) {
      editor.postMessage({ type: 'open', location });
    }
  },
  expand(node, direction) {
    editor.postMessage({ type: 'expand', node, direction });
  },
  trace(node) {
    if (!graph || !drawing) {
      return;
    }
    const on = node ? traced(graph, node) : undefined;
    drawing.svg.classList.toggle('tracing', on !== undefined && on.edges.size > 0);
    drawing.rows.forEach((row, key) => row.classList.toggle('on', on?.nodes.has(key) ?? false));
    drawing.lines.forEach((line, edge) => line.classList.toggle('on', on?.edges.has(edge) ?? false));
  },
};

async function show(fit: boolean): Promise<void> {
  if (!graph) {
    return;
  }
  const number = ++shown;
  const visible = indirect.checked ? graph : directOnly(graph);
  const theme = readTheme();
  const layout = await layOut(visible, elk, measureWith(theme));
  if (number !== shown) {
    return; // a later one overtook
  }
  drawing = draw(layout, new Set(graph.focus.map(keyOf)), theme, actions);
  stage.replaceChildren(drawing.svg);
  viewport.show(drawing.svg, layout.width, layout.height);
  if (fit) {
    const box = layout.boxes.find((one) => one.relation.id === graph?.focus[0]?.[0]);
    viewport.begin(box ? box.x + box.width / 2 : 0, box ? box.y + box.height / 2 : 0);
  }
  const relations = visible.relations.length;
  status.textContent =
    (visible.edges.length === 0 ? 'No statement of the workspace leads here or on.' : `${relations} relations, ${visible.edges.length} edges`) +
    (graph.truncated ? ' – there is more than a picture holds' : '');
  drawLegend(theme);
}

function drawLegend(theme: Theme): void {
  const items = ROLES.map((role) => {
    const line = element('line', {
      x1: 0,
      y1: 5,
      x2: 28,
      y2: 5,
      stroke: role === 'value' ? theme.direct : theme.indirect,
      'stroke-width': 1.6,
    });
    if (dashesOf(role)) {
      line.setAttribute('stroke-dasharray', dashesOf(role));
    }
    const item = document.createElement('span');
    item.append(element('svg', { width: 28, height: 10, 'aria-hidden': 'true' }, line), role === 'value' ? 'value, condition' : role);
    return item;
  });
  part('legend').replaceChildren(...items);
}

/** The drawing as a file of its own: at its own size, with nothing dimmed. */
function asSvg(): string | undefined {
  if (!drawing) {
    return undefined;
  }
  const copy = drawing.svg.cloneNode(true) as SVGSVGElement;
  copy.classList.remove('tracing');
  copy.removeAttribute('style');
  copy.querySelectorAll('.more').forEach((button) => button.remove());
  const box = copy.viewBox.baseVal;
  copy.setAttribute('width', String(box.width));
  copy.setAttribute('height', String(box.height));
  return new XMLSerializer().serializeToString(copy);
}

async function asPng(): Promise<string | undefined> {
  const svg = asSvg();
  if (!svg) {
    return undefined;
  }
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.width * PNG_SCALE;
  canvas.height = image.height * PNG_SCALE;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL('image/png').replace(/^data:image\/png;base64,/, '');
}

async function exportAs(format: string): Promise<void> {
  const data = format === 'png' ? await asPng() : format === 'svg' ? asSvg() : graph?.mermaid;
  if (data && (format === 'svg' || format === 'png' || format === 'mermaid')) {
    editor.postMessage({ type: 'export', format, data });
  }
}

window.addEventListener('message', (event: MessageEvent<ToPage>) => {
  if (event.data.type === 'graph') {
    const fresh = !graph || focusOf(graph) !== focusOf(event.data.graph);
    graph = event.data.graph;
    void show(fresh);
  } else if (event.data.type === 'failed') {
    status.textContent = event.data.message;
  }
});

const focusOf = (one: LineageGraph): string => one.focus.map((node: GraphNode) => keyOf(node)).join('\u0001');

indirect.addEventListener('change', () => void show(false));
part('fit').addEventListener('click', () => viewport.fit());
part('in').addEventListener('click', () => viewport.zoom(1.25));
part('out').addEventListener('click', () => viewport.zoom(0.8));
part('refresh').addEventListener('click', () => editor.postMessage({ type: 'refresh' }));
for (const format of ['svg', 'png', 'mermaid']) {
  part(`export-${format}`).addEventListener('click', () => void exportAs(format));
}
// A change of the theme changes the body's classes and the variables in its style.
new MutationObserver(() => void show(false)).observe(document.documentElement, { attributes: true, attributeFilter: ['style', 'class'] });
new MutationObserver(() => void show(false)).observe(document.body, { attributes: true, attributeFilter: ['class'] });
editor.postMessage({ type: 'ready' });
