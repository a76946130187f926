/** The running server: started, stopped and started again, and what state it is in. */

import * as vscode from 'vscode';
import { LanguageClient, RevealOutputChannelOn, State } from 'vscode-languageclient/node';
import type { FoundServer } from './findServer';
import { provideServer, SECTION } from './provideServer';

export type ServerState = 'starting' | 'running' | 'stopped' | 'failed';

export class Server implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<ServerState>();
  readonly onDidChangeState = this.changed.event;
  readonly log = vscode.window.createOutputChannel('SQL Lineage', { log: true });

  state: ServerState = 'stopped';
  found: FoundServer | undefined;
  private running: LanguageClient | undefined;
  // One start or stop at a time, in the order in which they were asked for.
  private queue: Promise<void> = Promise.resolve();

  constructor(private readonly context: vscode.ExtensionContext) {}

  /** The client while the server runs. */
  get client(): LanguageClient | undefined {
    return this.state === 'running' ? this.running : undefined;
  }

  start(): Promise<void> {
    return this.enqueue(() => this.begin());
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.end());
  }

  restart(): Promise<void> {
    return this.enqueue(async () => {
      await this.end();
      await this.begin();
    });
  }

  dispose(): void {
    this.changed.dispose();
    this.log.dispose();
  }

  private enqueue(work: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(work, work);
    return this.queue;
  }

  private async begin(): Promise<void> {
    this.become('starting');
    this.found = await provideServer(this.context, this.log);
    if (!this.found) {
      this.become('failed');
      return;
    }
    const { command, args, from, version } = this.found;
    this.log.info(`sql-lineage-ls ${version} from ${from}: ${[command, ...args].join(' ')}`);
    const client = new LanguageClient(
      SECTION,
      'SQL Lineage',
      { command, args },
      {
        // Unsaved buffers and notebooks are welcome: no scheme is left out.
        documentSelector: [{ language: 'sql' }],
        synchronize: { configurationSection: SECTION },
        outputChannel: this.log,
        revealOutputChannelOn: RevealOutputChannelOn.Never,
      },
    );
    this.running = client;
    client.onDidChangeState(({ newState }) => {
      if (this.running === client && newState !== State.Starting) {
        this.become(newState === State.Running ? 'running' : 'stopped');
      }
    });
    try {
      await client.start();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.log.error(reason);
      this.become('failed');
      const choice = await vscode.window.showErrorMessage(
        `SQL Lineage: the server from ${from} does not start: ${reason}`,
        'Show the log',
      );
      if (choice) {
        this.log.show();
      }
    }
  }

  private async end(): Promise<void> {
    const running = this.running;
    this.running = undefined;
    await running?.dispose();
    this.become('stopped');
  }

  private become(state: ServerState): void {
    if (this.state !== state) {
      this.state = state;
      void vscode.commands.executeCommand('setContext', 'sqlLineage.running', state === 'running');
      this.changed.fire(state);
    }
  }
}
