/** The status item: what the server does, and a menu of what can be done about it. */

import * as vscode from 'vscode';
import type { Server } from './server';

const POLL_MILLISECONDS = 700;
const MENU = 'sqlLineage.showStatus';

/** The part of the answer to `sqlLineage/status` that is shown. */
interface ServerStatus {
  version: string;
  complete: boolean;
  documents: number;
  statements: number;
  unparsedStatements: number;
  waitingFiles: number;
  dialects: string[];
}

export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('sqlLineage.status', vscode.StatusBarAlignment.Right, 90);
  private readonly subscriptions: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly server: Server) {
    this.item.name = 'SQL Lineage';
    this.item.command = MENU;
    this.subscriptions = [
      this.item,
      server.onDidChangeState(() => this.update()),
      vscode.commands.registerCommand(MENU, () => this.menu()),
    ];
    this.update();
    this.item.show();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscriptions.forEach((one) => one.dispose());
  }

  private update(): void {
    clearTimeout(this.timer);
    this.item.backgroundColor = undefined;
    if (this.server.state === 'running') {
      void this.follow();
      return;
    }
    const failed = this.server.state === 'failed';
    const icon = { starting: 'sync~spin', stopped: 'circle-slash', failed: 'error', running: 'type-hierarchy' }[this.server.state];
    this.item.text = `$(${icon}) SQL Lineage`;
    this.item.tooltip = failed ? 'The language server does not run. Click to see why.' : `The language server is ${this.server.state}.`;
    if (failed) {
      this.item.backgroundColor = new vscode.ThemeColor('statusBarItem.errorBackground');
    }
  }

  /** Shows how far the workspace is read, until all of it is. */
  private async follow(): Promise<void> {
    const status = await this.ask();
    if (this.server.state !== 'running') {
      return;
    }
    const busy = !status?.complete;
    const left = status?.waitingFiles ? ` ${status.waitingFiles} files to read` : '';
    this.item.text = busy ? `$(sync~spin) SQL Lineage${left}` : '$(type-hierarchy) SQL Lineage';
    this.item.tooltip = status ? words(status) : 'The language server starts.';
    if (busy) {
      this.timer = setTimeout(() => void this.follow(), POLL_MILLISECONDS);
    }
  }

  private async ask(): Promise<ServerStatus | undefined> {
    try {
      return await this.server.client?.sendRequest<ServerStatus>('sqlLineage/status', {});
    } catch {
      return undefined;
    }
  }

  private async menu(): Promise<void> {
    const status = await this.ask();
    const { found, state } = this.server;
    const entries: (vscode.QuickPickItem & { run?: string; arguments?: unknown[] })[] = [
      {
        label: status ? `$(type-hierarchy) ${words(status)}` : `$(info) The server is ${state}`,
        ...(found ? { detail: `sql-lineage-ls ${found.version} from ${found.from}` } : {}),
        run: 'sqlLineage.showLog',
      },
      { label: '', kind: vscode.QuickPickItemKind.Separator },
      { label: '$(type-hierarchy-sub) Show the lineage graph', run: 'sqlLineage.showGraph' },
      { label: '$(refresh) Read the workspace again', run: 'sqlLineage.reindex' },
      { label: '$(debug-restart) Restart the server', run: 'sqlLineage.restart' },
      { label: '$(output) Show the log', run: 'sqlLineage.showLog' },
      { label: '$(gear) Settings', run: 'workbench.action.openSettings', arguments: ['@ext:sql-lineage.sql-lineage'] },
    ];
    const chosen = await vscode.window.showQuickPick(entries, { title: 'SQL Lineage' });
    if (chosen?.run) {
      await vscode.commands.executeCommand(chosen.run, ...(chosen.arguments ?? []));
    }
    this.update();
  }
}

function words(status: ServerStatus): string {
  const unread = status.unparsedStatements ? `, ${status.unparsedStatements} not understood` : '';
  const dialects = status.dialects.length > 0 ? ` · ${status.dialects.join(', ')}` : '';
  return `${status.documents} files, ${status.statements} statements${unread}${dialects}`;
}
