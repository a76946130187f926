/** Finds the server or installs it, and says plainly what is missing where neither works. */

import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { findPython, findServer, OLDEST_PYTHON, PROGRAM, type FoundServer } from './findServer';
import { environmentOf, fittingPythons, InstallError, installedServer, installServer, serverWheel, type Bundle } from './installServer';
import { machine } from './machine';

export const SECTION = 'sqlLineage';

const OPEN_SETTING = 'Open the setting';
const SHOW_LOG = 'Show the log';
const FETCH = 'Let pip fetch them';

/** A server to start; undefined where there is none, which the person has been told. */
export async function provideServer(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
): Promise<FoundServer | undefined> {
  const settings = vscode.workspace.getConfiguration(SECTION);
  const serverPath = resolved(settings.get<string>('serverPath') ?? '');
  const pythons = await wantedPythons(settings);
  try {
    const wishes = { serverPath, serverArguments: settings.get<string[]>('serverArguments') ?? [], pythons };
    const found = await findServer(wishes, machine);
    if (found) {
      return found;
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    log.error(`${serverPath}: ${reason}`);
    tell(
      `SQL Lineage: "${serverPath}" of the setting sqlLineage.serverPath does not start (${firstLine(reason)}). ` +
        'Correct the setting, or leave it empty to use the server of this extension.',
      { [OPEN_SETTING]: () => openSetting('serverPath') },
    );
    return undefined;
  }
  return ownServer(context, pythons, log);
}

/** The server of this extension: installed before, or now. */
async function ownServer(
  context: vscode.ExtensionContext,
  pythons: string[],
  log: vscode.LogOutputChannel,
): Promise<FoundServer | undefined> {
  const bundle: Bundle = {
    wheels: context.asAbsolutePath(path.join('bundled', 'wheels')),
    storage: context.globalStorageUri.fsPath,
  };
  const wheel = serverWheel(bundle);
  if (!wheel) {
    tell(
      `SQL Lineage: there is no ${PROGRAM} on PATH or in the selected Python, and this build of the extension has none in it. ` +
        `Install it ("pip install ${PROGRAM}"), or set sqlLineage.serverPath.`,
      { [OPEN_SETTING]: () => openSetting('serverPath') },
    );
    return undefined;
  }
  const installed = await installedServer(environmentOf(bundle, wheel), machine);
  if (installed) {
    return installed;
  }
  const python = await findPython(pythons, fittingPythons(fs.readdirSync(bundle.wheels)), machine);
  if (!python) {
    tell(
      `SQL Lineage needs Python ${OLDEST_PYTHON} or newer, and none was found on PATH. ` +
        'Install it (python.org, or your system’s packages: python3), or set sqlLineage.python to where it is.',
      { [OPEN_SETTING]: () => openSetting('python'), 'Get Python': () => openAddress('https://www.python.org/downloads/') },
    );
    return undefined;
  }
  return install(bundle, wheel, python, false, log);
}

async function install(
  bundle: Bundle,
  wheel: string,
  python: { command: string; args: string[] },
  fetch: boolean,
  log: vscode.LogOutputChannel,
): Promise<FoundServer | undefined> {
  const title = 'SQL Lineage: setting up the language server (once)';
  try {
    return await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, () =>
      installServer(bundle, wheel, python, machine, fetch, (line) => log.info(line)),
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    log.error(error instanceof InstallError ? error.details : reason);
    if (error instanceof InstallError && error.fetchable) {
      const choice = await vscode.window.showWarningMessage(
        `SQL Lineage: the packages in this extension do not fit ${python.command} on this machine (${firstLine(reason)}). ` +
          'pip can fetch the missing ones from its package index.',
        FETCH,
        SHOW_LOG,
      );
      if (choice === FETCH) {
        return install(bundle, wheel, python, true, log);
      }
      if (choice === SHOW_LOG) {
        log.show();
      }
      return undefined;
    }
    tell(
      `SQL Lineage: the language server could not be set up in ${bundle.storage} with ${python.command}: ${firstLine(reason)} ` +
        'The log has the details; sqlLineage.python chooses another Python.',
      { [SHOW_LOG]: () => log.show(), [OPEN_SETTING]: () => openSetting('python') },
    );
    return undefined;
  }
}

/** The Python of the setting, of the Python extension, and of the folder's environment, as far as it is trusted. */
async function wantedPythons(settings: vscode.WorkspaceConfiguration): Promise<string[]> {
  const own = resolved(settings.get<string>('python') ?? '');
  const folder = vscode.workspace.isTrusted ? vscode.workspace.workspaceFolders?.[0] : undefined;
  const found = [own, await selectedPython(folder?.uri)];
  if (folder?.uri.scheme === 'file') {
    const inside = machine.platform === 'win32' ? path.join('Scripts', 'python.exe') : path.join('bin', 'python');
    found.push(path.join(folder.uri.fsPath, '.venv', inside));
  }
  return found.filter((python): python is string => Boolean(python) && (python === own || machine.isFile(python ?? '')));
}

interface PythonApi {
  environments?: { getActiveEnvironmentPath?(resource?: vscode.Uri): { path?: string } };
}

async function selectedPython(folder: vscode.Uri | undefined): Promise<string | undefined> {
  if (!vscode.workspace.isTrusted) {
    return undefined;
  }
  const extension = vscode.extensions.getExtension<PythonApi>('ms-python.python');
  try {
    const api = extension?.isActive ? extension.exports : await extension?.activate();
    return api?.environments?.getActiveEnvironmentPath?.(folder).path;
  } catch {
    return undefined;
  }
}

/** A path of the settings, with `~` and `${workspaceFolder}` replaced. */
function resolved(setting: string): string {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  return setting
    .trim()
    .replace(/^~(?=$|[/\\])/, os.homedir())
    .replaceAll('${workspaceFolder}', folder);
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}

function openSetting(name: string): void {
  void vscode.commands.executeCommand('workbench.action.openSettings', `${SECTION}.${name}`);
}

function openAddress(address: string): void {
  void vscode.env.openExternal(vscode.Uri.parse(address));
}

/** Shows an error with buttons, and waits for nobody. */
function tell(message: string, buttons: Record<string, () => void>): void {
  void vscode.window.showErrorMessage(message, ...Object.keys(buttons)).then((choice) => choice && buttons[choice]?.());
}
