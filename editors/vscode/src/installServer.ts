/**
 * The private environment: the packages that lie in this extension, installed into a folder of its own without any
 * network. Only where they do not fit the machine is a person asked whether pip may fetch them.
 */

import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { executable, programsOf, PROGRAM, versionOf, type Command, type FoundServer, type Machine } from './findServer';

const FINISHED = 'finished';

export interface Bundle {
  /** The folder with the wheels, and the environments' folder. */
  wheels: string;
  storage: string;
}

/** What pip said, for the log, and whether other packages could mend it. */
export class InstallError extends Error {
  constructor(
    message: string,
    readonly details: string,
    readonly fetchable: boolean,
  ) {
    super(message);
  }
}

/** The wheel of the server in this extension; undefined in one that was packaged without. */
export function serverWheel(bundle: Bundle): string | undefined {
  if (!fs.existsSync(bundle.wheels)) {
    return undefined;
  }
  return wheelsOf(bundle, 'sql_lineage_ls-')[0];
}

function wheelsOf(bundle: Bundle, prefix: string): string[] {
  const names = fs.readdirSync(bundle.wheels).filter((name) => name.startsWith(prefix) && name.endsWith('.whl'));
  return names.sort().map((name) => path.join(bundle.wheels, name));
}

/** The versions of Python that the compiled packages in the extension are for: `3.11`. */
export function fittingPythons(wheels: string[]): string[] {
  const versions = wheels.map((name) => /-cp3(\d+)-cp/.exec(name)?.[1]).filter((minor) => minor !== undefined);
  return [...new Set(versions.map((minor) => `3.${minor}`))].sort();
}

/** The environment for a wheel: another build of the server gets another one. */
export function environmentOf(bundle: Bundle, wheel: string): string {
  const digest = createHash('sha256').update(fs.readFileSync(wheel)).digest('hex').slice(0, 12);
  return path.join(bundle.storage, `server-${digest}`);
}

/** The server of an environment that was finished before; undefined where it has to be made. */
export async function installedServer(environment: string, machine: Machine): Promise<FoundServer | undefined> {
  if (!fs.existsSync(path.join(environment, FINISHED))) {
    return undefined;
  }
  const command = { command: path.join(programsOf(environment, machine), executable(PROGRAM, machine)), args: [] };
  try {
    const version = await versionOf(command, machine);
    return { ...command, from: 'the packages of this extension', version };
  } catch {
    // The Python that it was made with is gone, for example.
    return undefined;
  }
}

/** Makes the environment. With `fetch` pip may get from its index what does not lie here. */
export async function installServer(
  bundle: Bundle,
  wheel: string,
  python: Command,
  machine: Machine,
  fetch: boolean,
  log: (line: string) => void,
): Promise<FoundServer> {
  const environment = environmentOf(bundle, wheel);
  const pip = wheelsOf(bundle, 'pip-')[0];
  if (!pip) {
    throw new InstallError('The extension was packaged without pip.', bundle.wheels, false);
  }
  fs.mkdirSync(bundle.storage, { recursive: true });
  const run = async (command: Command, fetchable: boolean): Promise<void> => {
    log(`${command.command} ${command.args.join(' ')}`);
    try {
      log(await machine.run(command));
    } catch (error) {
      const details = error instanceof Error ? error.message : String(error);
      const last = details.trim().split('\n').findLast((line) => /error/i.test(line)) ?? 'the command failed';
      throw new InstallError(last.replace(/^ERROR:\s*/, ''), details, fetchable);
    }
  };
  // Debian's Python has no pip in its environments: the one that lies here installs into it.
  await run({ command: python.command, args: [...python.args, '-m', 'venv', '--clear', '--without-pip', environment] }, false);
  const inside = path.join(programsOf(environment, machine), executable('python', machine));
  const offline = fetch ? [] : ['--no-index'];
  const options = ['--disable-pip-version-check', '--no-input', '--only-binary=:all:', '--find-links', bundle.wheels];
  await run({ command: inside, args: [path.join(pip, 'pip'), 'install', ...offline, ...options, wheel] }, !fetch);
  fs.writeFileSync(path.join(environment, FINISHED), '');
  const server = await installedServer(environment, machine);
  if (!server) {
    throw new InstallError('The installed server does not run.', environment, false);
  }
  removeOthers(bundle.storage, environment);
  return server;
}

/** Environments of earlier versions of the extension. One that still runs on Windows stays until the next time. */
function removeOthers(storage: string, environment: string): void {
  for (const name of fs.readdirSync(storage)) {
    if (name.startsWith('server-') && path.join(storage, name) !== environment) {
      try {
        fs.rmSync(path.join(storage, name), { recursive: true, force: true });
      } catch {
        // In use.
      }
    }
  }
}
