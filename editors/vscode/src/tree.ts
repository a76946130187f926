/** The view *Upstream / Downstream*: the lineage tree of what the cursor is on, one statement a step. */

import * as vscode from 'vscode';
import type { CallHierarchyIncomingCall, CallHierarchyItem, CallHierarchyOutgoingCall } from 'vscode-languageclient/node';
import type { Server } from './server';

const SETTLE_MILLISECONDS = 250;

type Way = 'up' | 'down';

interface Entry {
  item: CallHierarchyItem;
  /** The way that the entry leads; undefined for the subject itself, which has both. */
  way?: Way;
  /** Set on the two entries below a subject. */
  heading?: boolean;
}

const ICONS: Record<number, string> = { 5: 'symbol-class', 11: 'symbol-interface', 7: 'symbol-property', 8: 'symbol-field', 24: 'output' };

export class LineageTree implements vscode.TreeDataProvider<Entry>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Entry>;
  private readonly subscriptions: vscode.Disposable[];
  private roots: CallHierarchyItem[] = [];
  private timer: NodeJS.Timeout | undefined;
  private pinned = false;

  constructor(private readonly server: Server) {
    this.view = vscode.window.createTreeView('sqlLineage.tree', { treeDataProvider: this, showCollapseAll: true });
    this.subscriptions = [
      this.view,
      this.view.onDidChangeVisibility(() => this.followSoon()),
      vscode.window.onDidChangeTextEditorSelection(() => this.followSoon()),
      vscode.window.onDidChangeActiveTextEditor(() => this.followSoon()),
      server.onDidChangeState(() => this.followSoon()),
      vscode.commands.registerCommand('sqlLineage.showTree', () => this.showHere()),
      vscode.commands.registerCommand('sqlLineage.pinTree', () => this.pin(true)),
      vscode.commands.registerCommand('sqlLineage.unpinTree', () => this.pin(false)),
    ];
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscriptions.forEach((one) => one.dispose());
    this.changed.dispose();
  }

  async showHere(): Promise<void> {
    this.pin(false);
    await vscode.commands.executeCommand('sqlLineage.tree.focus');
    await this.follow();
  }

  private pin(pinned: boolean): void {
    this.pinned = pinned;
    void vscode.commands.executeCommand('setContext', 'sqlLineage.treePinned', pinned);
    this.followSoon();
  }

  private followSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.follow(), SETTLE_MILLISECONDS);
  }

  /** Takes what the cursor is on; between names the tree keeps what it shows. */
  private async follow(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const client = this.server.client;
    if (this.pinned || !this.view.visible || !client || editor?.document.languageId !== 'sql') {
      return;
    }
    const found = await this.request<CallHierarchyItem[]>('textDocument/prepareCallHierarchy', {
      textDocument: client.code2ProtocolConverter.asTextDocumentIdentifier(editor.document),
      position: client.code2ProtocolConverter.asPosition(editor.selection.active),
    });
    if (!found?.length || nameOf(found) === nameOf(this.roots)) {
      return;
    }
    this.roots = found;
    this.view.description = found.map((root) => pathOf(root)).join(', ');
    this.changed.fire();
  }

  private async request<Answer>(method: string, params: unknown): Promise<Answer | undefined> {
    try {
      return (await this.server.client?.sendRequest<Answer | null>(method, params)) ?? undefined;
    } catch {
      return undefined; // the document changed meanwhile: the next look will do
    }
  }

  getTreeItem(entry: Entry): vscode.TreeItem {
    const { item, way, heading } = entry;
    if (heading) {
      const label = way === 'up' ? 'Upstream' : 'Downstream';
      const shown = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Expanded);
      shown.iconPath = new vscode.ThemeIcon(way === 'up' ? 'arrow-up' : 'arrow-down');
      shown.description = way === 'up' ? 'what it comes from' : 'what depends on it';
      return shown;
    }
    const data = item.data as { circle?: boolean; node?: unknown } | undefined;
    const ends = way !== undefined && (data?.circle === true || !data?.node);
    const state = way === undefined ? 'Expanded' : ends ? 'None' : 'Collapsed';
    const shown = new vscode.TreeItem(item.name, vscode.TreeItemCollapsibleState[state]);
    shown.description = item.detail ?? '';
    shown.tooltip = pathOf(item);
    shown.iconPath = new vscode.ThemeIcon(ICONS[item.kind] ?? 'symbol-misc');
    shown.contextValue = 'lineageItem';
    const location = { uri: item.uri, range: item.selectionRange };
    shown.command = { command: 'sqlLineage.openLocation', title: 'Open', arguments: [location] };
    return shown;
  }

  async getChildren(entry?: Entry): Promise<Entry[]> {
    if (!entry) {
      return this.roots.map((item) => ({ item }));
    }
    const { item, way, heading } = entry;
    if (way === undefined) {
      return (['up', 'down'] as const).map((one) => ({ item, way: one, heading: true }));
    }
    const found =
      way === 'up'
        ? (await this.request<CallHierarchyOutgoingCall[]>('callHierarchy/outgoingCalls', { item }))?.map((call) => call.to)
        : (await this.request<CallHierarchyIncomingCall[]>('callHierarchy/incomingCalls', { item }))?.map((call) => call.from);
    if (heading && !found?.length) {
      return [];
    }
    return (found ?? []).map((next) => ({ item: next, way }));
  }
}

/** The whole path of an item: `shop.orders.customer.city`. */
export function pathOf(item: CallHierarchyItem): string {
  const relation = (item.detail ?? '').split(' · ')[0] ?? '';
  // A relation tells its kind there, a query its file.
  return [7, 8].includes(item.kind) ? `${relation}.${item.name}` : item.name;
}

const nameOf = (items: CallHierarchyItem[]): string => items.map((item) => `${item.uri} ${pathOf(item)}`).join('\n');

