// Bundles the extension and the page of its graph into dist/; with --tests the unit tests too.
import { readdirSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

const tests = process.argv.includes('--tests');
const common = { bundle: true, minify: !tests, logLevel: 'warning', legalComments: 'none' };
const node = { ...common, platform: 'node', target: 'node18', format: 'cjs', external: ['vscode'] };

if (tests) {
  rmSync('dist/test', { recursive: true, force: true });
  const entries = readdirSync('test').filter((name) => name.endsWith('.test.ts'));
  await build({ ...node, entryPoints: entries.map((name) => `test/${name}`), outdir: 'dist/test', sourcemap: 'inline' });
} else {
  await build({ ...node, entryPoints: ['src/extension.ts'], outfile: 'dist/extension.js' });
  await build({
    ...common,
    platform: 'browser',
    target: 'es2022',
    format: 'iife',
    entryPoints: ['src/webview/page.ts'],
    outfile: 'dist/page.js',
    // elkjs looks for a worker module, which nobody needs here.
    external: ['web-worker'],
    define: { require: 'undefined' },
  });
}
