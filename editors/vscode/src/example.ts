/** The example workspace of the walkthrough: copied to where the person may change it, and opened. */

import * as vscode from 'vscode';

/** Copies the examples of this extension into its storage and opens them; what was changed there before stays. */
export async function openExample(context: vscode.ExtensionContext): Promise<void> {
  const target = vscode.Uri.joinPath(context.globalStorageUri, 'example');
  try {
    await vscode.workspace.fs.stat(target);
  } catch {
    await vscode.workspace.fs.createDirectory(context.globalStorageUri);
    await vscode.workspace.fs.copy(vscode.Uri.joinPath(context.extensionUri, 'bundled', 'examples'), target);
  }
  await vscode.commands.executeCommand('vscode.openFolder', target, { forceNewWindow: true });
}
