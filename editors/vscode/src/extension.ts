/** Puts the parts together. Everything about SQL is the server's: no file of this extension knows any. */

import * as vscode from 'vscode';
import { registerCommands } from './commands';
import { GraphPanel } from './graph/panel';
import { SECTION } from './provideServer';
import { Server } from './server';
import { Status } from './status';
import { LineageTree } from './tree';

const START_SETTINGS = ['serverPath', 'serverArguments', 'python'];

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const started = (server = new Server(context));
  context.subscriptions.push(
    started,
    new Status(started),
    new LineageTree(started),
    new GraphPanel(context.extensionUri, started),
    ...registerCommands(context, started),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (START_SETTINGS.some((name) => change.affectsConfiguration(`${SECTION}.${name}`))) {
        await started.restart();
      }
    }),
  );
  // Not waited for: what is set up for the first time would hold other extensions up.
  void started.start();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
