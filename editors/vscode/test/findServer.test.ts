/** Which server is chosen, and which Python. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPython, findServer, type Command, type Machine } from '../src/findServer';
import { fittingPythons } from '../src/installServer';

/** A machine with these files, on which these commands say something and all others fail. */
function machineWith(files: string[], says: Record<string, string>, searchPath = '/usr/bin:/opt/bin'): Machine {
  return {
    platform: 'linux',
    searchPath,
    isFile: (file) => files.includes(file),
    run: ({ command, args }: Command) => {
      const said = says[command];
      return said === undefined ? Promise.reject(new Error(`no ${command} ${args.join(' ')}`)) : Promise.resolve(said);
    },
  };
}

const none = { serverPath: '', serverArguments: [], pythons: [] };
const VERSION = 'sql-lineage-ls 1.2.3\n';

test('the setting comes first', async () => {
  const machine = machineWith(['/usr/bin/sql-lineage-ls'], { '/x/ls': VERSION, '/usr/bin/sql-lineage-ls': VERSION });
  const found = await findServer({ ...none, serverPath: '/x/ls', serverArguments: ['serve'] }, machine);
  assert.deepEqual([found?.command, found?.args, found?.version], ['/x/ls', ['serve'], '1.2.3']);
});

test('a setting that does not work is an error and not another server', async () => {
  const machine = machineWith(['/usr/bin/sql-lineage-ls'], { '/usr/bin/sql-lineage-ls': VERSION });
  await assert.rejects(findServer({ ...none, serverPath: '/x/ls' }, machine), /no \/x\/ls/);
});

test('another program is no server', async () => {
  const machine = machineWith([], { '/x/ls': 'ls (GNU coreutils) 9.1' });
  await assert.rejects(findServer({ ...none, serverPath: '/x/ls' }, machine), /it is not sql-lineage-ls/);
});

test('the selected Python comes before PATH', async () => {
  const files = ['/env/bin/sql-lineage-ls', '/opt/bin/sql-lineage-ls'];
  const machine = machineWith(files, { '/env/bin/sql-lineage-ls': VERSION, '/opt/bin/sql-lineage-ls': VERSION });
  assert.equal((await findServer({ ...none, pythons: ['/env/bin/python'] }, machine))?.command, '/env/bin/sql-lineage-ls');
  assert.equal((await findServer(none, machine))?.command, '/opt/bin/sql-lineage-ls');
});

test('one that does not run is passed over', async () => {
  const files = ['/env/bin/sql-lineage-ls', '/opt/bin/sql-lineage-ls'];
  const machine = machineWith(files, { '/opt/bin/sql-lineage-ls': VERSION });
  assert.equal((await findServer({ ...none, pythons: ['/env/bin/python'] }, machine))?.command, '/opt/bin/sql-lineage-ls');
  assert.equal(await findServer(none, machineWith([], {})), undefined);
});

test('a Python that the compiled packages are for is preferred', async () => {
  const machine = machineWith([], { python3: '3.14\n', 'python3.12': '3.12\n' });
  assert.equal((await findPython([], ['3.12'], machine))?.command, 'python3.12');
  assert.equal((await findPython([], ['3.11'], machine))?.command, 'python3');
  assert.equal((await findPython([], [], machine))?.command, 'python3');
  assert.equal((await findPython(['/my/python'], [], machineWith([], { '/my/python': '3.10' })))?.command, '/my/python');
  assert.equal(await findPython([], [], machineWith([], {})), undefined);
});

test('wheels tell the versions that they are for', () => {
  const wheels = ['pygls-2.1-py3-none-any.whl', 'msgspec-0.20-cp312-cp312-linux.whl', 'rapidfuzz-3-cp311-cp311-linux.whl'];
  assert.deepEqual(fittingPythons(wheels), ['3.11', '3.12']);
});
