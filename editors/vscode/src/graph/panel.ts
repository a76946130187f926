/** The lineage graph beside the editor: asks the server, and does what is clicked in the page. */

import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Server } from '../server';
import type { Direction, Format, GraphStep, LineageGraph, ToEditor, ToPage } from './protocol';

const ENDINGS: Record<Format, string> = { svg: 'svg', png: 'png', mermaid: 'mmd' };
// Enough for whole pipelines; a picture of more is cut by the server.
const DEEPEST = 50;
const STEPS_AROUND = 2;

export class GraphPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private steps: GraphStep[] = [];
  private graph: LineageGraph | undefined;
  private ready = false;
  private name = 'lineage';
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly extension: vscode.Uri,
    private readonly server: Server,
  ) {
    this.subscriptions = [
      vscode.commands.registerCommand('sqlLineage.showGraph', () => this.showHere('both', STEPS_AROUND)),
      vscode.commands.registerCommand('sqlLineage.showImpact', () => this.showHere('down', DEEPEST)),
      vscode.workspace.onDidSaveTextDocument((document) => {
        if (document.languageId === 'sql') {
          void this.refresh();
        }
      }),
    ];
  }

  dispose(): void {
    this.panel?.dispose();
    this.subscriptions.forEach((one) => one.dispose());
  }

  /** Shows the graph of what the cursor is on. */
  private async showHere(direction: Direction, depth: number): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const client = this.server.client;
    if (!client || editor?.document.languageId !== 'sql') {
      const missing = client ? 'put the cursor on a column or table of a SQL file' : `the server is ${this.server.state}`;
      void vscode.window.showInformationMessage(`SQL Lineage: ${missing}.`);
      return;
    }
    const graph = await this.request('sqlLineage/graph', {
      textDocument: client.code2ProtocolConverter.asTextDocumentIdentifier(editor.document),
      position: client.code2ProtocolConverter.asPosition(editor.selection.active),
      direction,
      depth,
    });
    if (!graph) {
      void vscode.window.showInformationMessage('SQL Lineage: nothing here has a lineage.');
      return;
    }
    this.steps = [{ nodes: graph.focus, direction, depth }];
    this.name = nameOf(graph);
    this.open();
    this.show(graph);
  }

  private open(): void {
    const title = `Lineage: ${this.name}`;
    if (this.panel) {
      this.panel.title = title;
      this.panel.reveal(undefined, true);
      return;
    }
    const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const panel = vscode.window.createWebviewPanel('sqlLineage.graph', title, column, {
      enableScripts: true,
      retainContextWhenHidden: true,
      localResourceRoots: [vscode.Uri.joinPath(this.extension, 'dist'), vscode.Uri.joinPath(this.extension, 'media')],
    });
    panel.iconPath = vscode.Uri.joinPath(this.extension, 'media', 'icon.png');
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.ready = false;
    });
    panel.webview.onDidReceiveMessage((message: ToEditor) => this.receive(message));
    panel.webview.html = this.page(panel.webview);
    this.panel = panel;
  }

  private show(graph: LineageGraph): void {
    this.graph = graph;
    this.tell({ type: 'graph', graph });
  }

  private tell(message: ToPage): void {
    if (this.ready) {
      void this.panel?.webview.postMessage(message);
    }
  }

  private async receive(message: ToEditor): Promise<void> {
    switch (message.type) {
      case 'ready':
        this.ready = true;
        if (this.graph) {
          this.show(this.graph);
        }
        break;
      case 'open':
        await vscode.commands.executeCommand('sqlLineage.openLocation', message.location);
        break;
      case 'expand':
        this.steps.push({ nodes: [message.node], direction: message.direction, depth: 1 });
        await this.refresh();
        break;
      case 'refresh':
        await this.refresh();
        break;
      case 'export':
        await this.save(message.format, message.data);
        break;
    }
  }

  /** Asks for everything that is shown again. */
  private async refresh(): Promise<void> {
    if (!this.panel || this.steps.length === 0) {
      return;
    }
    const graph = await this.request('sqlLineage/graphExpand', { steps: this.steps });
    if (graph) {
      this.show(graph);
    }
  }

  private async request(method: string, params: object): Promise<LineageGraph | undefined> {
    try {
      const asked = { ...params, format: 'mermaid' };
      return (await this.server.client?.sendRequest<LineageGraph | null>(method, asked)) ?? undefined;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.server.log.error(`${method}: ${reason}`);
      this.tell({ type: 'failed', message: `The server has not answered: ${reason}` });
      return undefined;
    }
  }

  private async save(format: Format, data: string): Promise<void> {
    const ending = ENDINGS[format];
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const name = `${this.name.replaceAll(/[^\w.-]+/g, '_')}.${ending}`;
    const target = await vscode.window.showSaveDialog({
      filters: { [format.toUpperCase()]: [ending] },
      ...(folder ? { defaultUri: vscode.Uri.joinPath(folder, name) } : {}),
    });
    if (target) {
      await vscode.workspace.fs.writeFile(target, Buffer.from(data, format === 'png' ? 'base64' : 'utf8'));
    }
  }

  private page(webview: vscode.Webview): string {
    const nonce = randomBytes(16).toString('base64url');
    const address = (...parts: string[]): string => webview.asWebviewUri(vscode.Uri.joinPath(this.extension, ...parts)).toString();
    const policy = [
      "default-src 'none'",
      `script-src 'nonce-${nonce}'`,
      `style-src ${webview.cspSource}`,
      'img-src data:',
    ].join('; ');
    return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta http-equiv="Content-Security-Policy" content="${policy}">
  <link rel="stylesheet" href="${address('media', 'graph.css')}">
  <title>Lineage graph</title>
</head>
<body>
  <div class="bar">
    <label title="Filters, joins, groups, windows and orders"><input type="checkbox" id="indirect" checked>what decides rows</label>
    <span class="space"></span>
    <button id="refresh" title="Ask the server again">Refresh</button>
    <button id="out" title="Smaller" aria-label="Zoom out">−</button>
    <button id="in" title="Larger" aria-label="Zoom in">+</button>
    <button id="fit" title="Show all of it">Fit</button>
    <button id="export-svg" title="Save as SVG">SVG</button>
    <button id="export-png" title="Save as PNG">PNG</button>
    <button id="export-mermaid" title="Save as a Mermaid flowchart">Mermaid</button>
  </div>
  <div id="stage"></div>
  <div class="bar bottom"><span id="status" role="status"></span><span class="space"></span><span id="legend"></span></div>
  <script nonce="${nonce}" src="${address('dist', 'page.js')}"></script>
</body>
</html>`;
  }
}

/** The focus in words: `shop.orders.customer.city`. */
function nameOf(graph: LineageGraph): string {
  const [id, ...path] = graph.focus[0] ?? [];
  const relation = graph.relations.find((one) => one.id === id)?.name ?? '';
  return [relation, ...path].join('.').replaceAll('.[', '[');
}

