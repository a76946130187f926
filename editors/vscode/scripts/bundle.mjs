// Puts what the extension installs into bundled/: the wheel of the server, built from this repository, the wheels of its
// dependencies for this platform, pip itself, and the example workspace.
//
// PYTHON chooses the Python that builds (and that the wheels are for); SQL_LINEAGE_PYTHONS="3.10 3.11 3.12 3.13" bundles
// for these versions.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const repository = path.join(here, '..', '..');
const bundled = path.join(here, 'bundled');
const wheels = path.join(bundled, 'wheels');
const quiet = ['--quiet', '--disable-pip-version-check'];

const runs = (command, ...args) => execFileSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });

function findPython() {
  for (const python of [process.env.PYTHON, 'python3', 'python'].filter(Boolean)) {
    try {
      execFileSync(python, ['-m', 'pip', '--version'], { stdio: 'ignore' });
      return python;
    } catch {
      // No such Python, or one without pip.
    }
  }
  throw new Error('bundling needs a Python with pip: set PYTHON');
}

const python = findPython();
rmSync(bundled, { recursive: true, force: true });
mkdirSync(wheels, { recursive: true });
runs(python, '-m', 'pip', 'wheel', ...quiet, '--no-deps', '--wheel-dir', wheels, repository);
const server = path.join(wheels, readdirSync(wheels).find((name) => name.startsWith('sql_lineage_ls-')));
const download = ['-m', 'pip', 'download', ...quiet, '--only-binary=:all:', '--dest', wheels];
const versions = (process.env.SQL_LINEAGE_PYTHONS ?? '').split(/\s+/).filter(Boolean);
if (versions.length === 0) {
  runs(python, ...download, server, 'pip');
}
for (const version of versions) {
  runs(python, ...download, '--python-version', version, server, 'pip');
}
cpSync(path.join(repository, 'examples'), path.join(bundled, 'examples'), { recursive: true });
console.log(`bundled ${readdirSync(wheels).length} wheels`);
