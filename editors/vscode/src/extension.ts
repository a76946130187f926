/**
 * Starts `sql-lineage-ls` for SQL files and turns its code lenses into VS Code's list of references.
 * Everything else is the language client's: this file knows nothing of SQL.
 */

import * as vscode from 'vscode';
import {
  LanguageClient,
  RevealOutputChannelOn,
  type LanguageClientOptions,
  type Location,
  type Position,
  type ServerOptions,
} from 'vscode-languageclient/node';

const SECTION = 'sqlLineage';

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand('sqlLineage.showReferences', showReferences),
    vscode.commands.registerCommand('sqlLineage.restart', restart),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      const startSettings = [`${SECTION}.serverPath`, `${SECTION}.serverArguments`];
      if (startSettings.some((name) => change.affectsConfiguration(name))) {
        await restart();
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await stop();
}

async function restart(): Promise<void> {
  await stop();
  await start();
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.dispose();
}

async function start(): Promise<void> {
  const settings = vscode.workspace.getConfiguration(SECTION);
  const command = settings.get<string>('serverPath') || 'sql-lineage-ls';
  const server: ServerOptions = { command, args: settings.get<string[]>('serverArguments') ?? [] };
  const options: LanguageClientOptions = {
    // Unsaved buffers and notebooks are welcome: no scheme is left out.
    documentSelector: [{ language: 'sql' }],
    synchronize: { configurationSection: SECTION },
    revealOutputChannelOn: RevealOutputChannelOn.Never,
  };
  client = new LanguageClient(SECTION, 'SQL Lineage', server, options);
  try {
    await client.start();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const open = 'Open the setting';
    const choice = await vscode.window.showErrorMessage(
      `SQL Lineage: "${command}" does not start (${reason}). Install sql-lineage-ls, ` +
        'or set sqlLineage.serverPath.',
      open,
    );
    if (choice === open) {
      await vscode.commands.executeCommand('workbench.action.openSettings', `${SECTION}.serverPath`);
    }
  }
}

/** The command of a code lens. The editor's own command wants its own classes, a server can only send JSON. */
async function showReferences(uri: string, position: Position, locations: Location[]): Promise<void> {
  if (client === undefined) {
    return;
  }
  const convert = client.protocol2CodeConverter;
  await vscode.commands.executeCommand(
    'editor.action.showReferences',
    convert.asUri(uri),
    convert.asPosition(position),
    locations.map((location) => convert.asLocation(location)),
  );
}
