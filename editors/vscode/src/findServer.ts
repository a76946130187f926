/**
 * Where the language server is: the setting, the selected Python, `PATH`, else a private environment that is made of the
 * packages in this extension. Knows nothing of VS Code, so that tests need none.
 */

import * as path from 'node:path';

export const PROGRAM = 'sql-lineage-ls';
export const OLDEST_PYTHON = '3.10';

export interface Command {
  command: string;
  args: string[];
}

export interface FoundServer extends Command {
  /** Said in the status: "from the setting", .. */
  from: string;
  version: string;
}

/** What is asked of the machine. `run` gives the standard output, and rejects where the command fails. */
export interface Machine {
  platform: NodeJS.Platform;
  searchPath: string;
  isFile(file: string): boolean;
  run(command: Command): Promise<string>;
}

export interface Wishes {
  /** The setting `serverPath`, with `~` and variables replaced; '' where it is not set. */
  serverPath: string;
  serverArguments: string[];
  /** Pythons to look beside, the most wanted first: full paths. */
  pythons: string[];
}

/** A server that is there already; undefined where there is none. A setting that does not work is an error. */
export async function findServer(wishes: Wishes, machine: Machine): Promise<FoundServer | undefined> {
  if (wishes.serverPath) {
    const command = { command: wishes.serverPath, args: wishes.serverArguments };
    return { ...command, from: 'the setting sqlLineage.serverPath', version: await versionOf(command, machine) };
  }
  const beside = wishes.pythons.map((python) => ({
    file: path.join(path.dirname(python), executable(PROGRAM, machine)),
    from: `the Python ${python}`,
  }));
  const onPath = searchPath(PROGRAM, machine);
  for (const { file, from } of [...beside, ...(onPath ? [{ file: onPath, from: `PATH: ${onPath}` }] : [])]) {
    if (!machine.isFile(file)) {
      continue;
    }
    try {
      const command = { command: file, args: wishes.serverArguments };
      return { ...command, from, version: await versionOf(command, machine) };
    } catch {
      // One that does not run is no server: the next may be.
    }
  }
  return undefined;
}

/** The version that a server tells; rejects where the command does not run or is another program. */
export async function versionOf(command: Command, machine: Machine): Promise<string> {
  const said = (await machine.run({ command: command.command, args: [...command.args, '--version'] })).trim();
  const version = /^sql-lineage-ls (\S+)$/m.exec(said)?.[1];
  if (!version) {
    throw new Error(`it is not ${PROGRAM}: asked for its version it says "${said.slice(0, 80)}"`);
  }
  return version;
}

/**
 * A Python that can make an environment: new enough, and with `venv`; one of the versions `fitting` if there is one,
 * since compiled packages are made for one version. undefined where there is none.
 */
export async function findPython(pythons: string[], fitting: string[], machine: Machine): Promise<Command | undefined> {
  const names = ['python3', 'python', ...fitting.map((version) => `python${version}`), 'python3.13', 'python3.12', 'python3.11', 'python3.10'];
  const commands: Command[] = pythons.map((command) => ({ command, args: [] }));
  commands.push(...names.map((command) => ({ command, args: [] })));
  if (machine.platform === 'win32') {
    commands.push({ command: 'py', args: ['-3'] });
  }
  const [major, minor] = OLDEST_PYTHON.split('.');
  const test = `import sys, venv; assert sys.version_info >= (${major}, ${minor}); print('%d.%d' % sys.version_info[:2])`;
  let second: Command | undefined;
  for (const command of commands) {
    try {
      const version = (await machine.run({ command: command.command, args: [...command.args, '-c', test] })).trim();
      if (fitting.length === 0 || fitting.includes(version)) {
        return command;
      }
      second ??= command;
    } catch {
      // Not there, too old, or a stand-in that only opens a shop.
    }
  }
  return second;
}

export function executable(name: string, machine: Pick<Machine, 'platform'>): string {
  return machine.platform === 'win32' ? `${name}.exe` : name;
}

/** The folder of an environment's programs. */
export function programsOf(environment: string, machine: Pick<Machine, 'platform'>): string {
  return path.join(environment, machine.platform === 'win32' ? 'Scripts' : 'bin');
}

function searchPath(name: string, machine: Machine): string | undefined {
  const separator = machine.platform === 'win32' ? ';' : ':';
  return machine.searchPath
    .split(separator)
    .filter(Boolean)
    .map((folder) => path.join(folder, executable(name, machine)))
    .find((file) => machine.isFile(file));
}
