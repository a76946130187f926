/** Small commands: open a place, show references, copy a field path. */

import * as vscode from 'vscode';
import type { CallHierarchyItem, Location, Position } from 'vscode-languageclient/node';
import { openExample } from './example';
import type { Server } from './server';
import { pathOf } from './tree';

export function registerCommands(context: vscode.ExtensionContext, server: Server): vscode.Disposable[] {
  return [
    vscode.commands.registerCommand('sqlLineage.showReferences', (uri: string, position: Position, places: Location[]) =>
      showReferences(server, uri, position, places),
    ),
    vscode.commands.registerCommand('sqlLineage.openLocation', (location: Location) => openLocation(server, location)),
    vscode.commands.registerCommand('sqlLineage.copyPath', () => copyPath(server)),
    vscode.commands.registerCommand('sqlLineage.restart', () => server.restart()),
    vscode.commands.registerCommand('sqlLineage.showLog', () => server.log.show()),
    vscode.commands.registerCommand('sqlLineage.openExample', () => openExample(context)),
  ];
}

/** The command of a code lens. The editor's own command wants its own classes, a server can only send JSON. */
async function showReferences(server: Server, uri: string, position: Position, places: Location[]): Promise<void> {
  const convert = server.client?.protocol2CodeConverter;
  if (!convert) {
    return;
  }
  await vscode.commands.executeCommand(
    'editor.action.showReferences',
    convert.asUri(uri),
    convert.asPosition(position),
    places.map((place) => convert.asLocation(place)),
  );
}

/** Opens a place in the group of editors that has text in it, not over the graph. */
async function openLocation(server: Server, location: Location): Promise<void> {
  const convert = server.client?.protocol2CodeConverter;
  if (!convert) {
    return;
  }
  const uri = convert.asUri(location.uri);
  const text = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === uri.toString());
  const column = (text ?? vscode.window.visibleTextEditors.find((editor) => editor.viewColumn !== undefined))?.viewColumn;
  await vscode.window.showTextDocument(uri, {
    selection: convert.asRange(location.range),
    viewColumn: column ?? vscode.ViewColumn.One,
  });
}

async function copyPath(server: Server): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const client = server.client;
  if (!editor || !client) {
    return;
  }
  const found = await client.sendRequest<CallHierarchyItem[] | null>('textDocument/prepareCallHierarchy', {
    textDocument: client.code2ProtocolConverter.asTextDocumentIdentifier(editor.document),
    position: client.code2ProtocolConverter.asPosition(editor.selection.active),
  });
  const paths = [...new Set((found ?? []).map((item) => pathOf(item)))];
  if (paths.length === 0) {
    void vscode.window.showInformationMessage('SQL Lineage: no column or table is known here.');
    return;
  }
  await vscode.env.clipboard.writeText(paths.join('\n'));
  vscode.window.setStatusBarMessage(`Copied ${paths.join(', ')}`, 4000);
}
