// Drives VS Code (code-server) in headless Chromium on the example workspace, as a person would.
// usage: node vscode.js URL WORKSPACE PICTURES CHROMIUM
// Prints one line of JSON for each thing seen; a picture of each goes to PICTURES.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { chromium } = require('playwright-core');
const { Editor, QUICK, SLOW, plain } = require('./vscode_editor.js');

const [url, workspace, pictures, executablePath] = process.argv.slice(2);

const report = (what, value) => console.log(JSON.stringify({ what, value }));

async function read(editor) {
  const { page } = editor;
  report('lenses', (await page.locator('.codelens-decoration').allInnerTexts()).map(plain));
  await editor.picture('lenses');

  await page.locator('.codelens-decoration a', { hasText: /^[1-9]\d* downstream use/ }).first().click();
  await page.waitForSelector('.reference-zone-widget .monaco-list-row', { timeout: QUICK });
  await page.waitForTimeout(500);
  report('references', plain(await page.locator('.reference-zone-widget .peekview-title').first().innerText()));
  await editor.picture('references');
  await page.keyboard.press('Escape');

  await editor.show('bigquery/order_lines.sql');
  report('hover', await editor.hover('o.customer.address.city AS city', 'address.city', 'orders_raw'));
  await editor.leave();
  report('hover field', await editor.hover('address.city AS city', '.city', 'customer.address.city'));
  await editor.picture('hover');
  await editor.leave();

  const field = await editor.place('address.city AS city', '.city');
  await page.mouse.click(field.x + 4, field.y);
  await page.keyboard.press('F12');
  await page.waitForSelector('.tab.active[data-resource-name="tables.sql"]', { timeout: QUICK });
  await page.waitForTimeout(500);
  report('definition', { tab: await editor.tab(), cursor: await editor.cursor() });
  await editor.picture('definition');

  await editor.show('bigquery/city_revenue.sql');
  report('hover through views', await editor.hover('buyer.name AS buyer_name', '.name', 'orders_raw.customer.name'));
  await editor.picture('through-views');
  await editor.leave();

  await editor.show('trino/alerts.sql');
  await page.waitForSelector('.squiggly-error, .squiggly-warning', { timeout: QUICK });
  await page.keyboard.press('Control+Shift+M');
  await page.waitForSelector('.markers-panel .monaco-list-row', { timeout: QUICK });
  await page.waitForTimeout(500);
  report('problems', (await page.locator('.markers-panel .monaco-list-row').allInnerTexts()).map(plain));
  await editor.picture('warning');
  await page.keyboard.press('Control+Shift+M');
}

/** The graph around a nested field: what is drawn, a further step, and a row that leads to the code. */
async function drawn(editor) {
  const { page } = editor;
  await editor.show('bigquery/order_lines.sql');
  await editor.click('address.city AS city', '.city', 4);
  await editor.command('SQL Lineage: Show the lineage graph');
  const graph = await editor.graph();
  await page.waitForTimeout(800);
  const rows = () => graph.$$eval('.row', (all) => all.map((row) => row.getAttribute('aria-label')));
  const lines = () =>
    graph.$$eval('.line', (all) => all.map((line) => [line.dataset.role, line.getAttribute('stroke-dasharray') ?? '']));
  report('graph', { rows: await rows(), lines: await lines(), status: await graph.textContent('#status') });
  await editor.picture('graph');

  await graph.locator('[data-relation="shop.order_lines"] .more.up').first().click();
  await graph.waitForSelector('[data-relation="shop.orders_raw"] .row[data-path="items[*].unit_price"]', {
    timeout: QUICK,
  });
  report('graph further', { rows: await rows() });
  await graph.click('#fit');
  await editor.picture('graph-further');

  const saved = {};
  for (const [button, ending] of [['svg', 'svg'], ['png', 'png'], ['mermaid', 'mmd']]) {
    await graph.click(`#export-${button}`);
    await page.waitForSelector('.quick-input-widget input', { timeout: QUICK });
    await page.waitForTimeout(500);
    await page.keyboard.press('Enter');
    const file = path.join(workspace, `shop.orders_raw.customer.address.city.${ending}`);
    for (let patience = 50; !fs.existsSync(file) && patience > 0; patience--) await page.waitForTimeout(200);
    await page.waitForTimeout(300);
    saved[button] = fs.readFileSync(file, button === 'png' ? 'base64' : 'utf8');
    fs.copyFileSync(file, path.join(pictures, `saved-graph.${ending}`));
  }
  report('graph saved', saved);

  const paper = () => graph.getAttribute('#stage svg .paper', 'fill');
  const light = await paper();
  await editor.command('Preferences: Toggle between Light/Dark Themes');
  await graph.waitForFunction((before) => document.querySelector('#stage svg .paper').getAttribute('fill') !== before, light, {
    timeout: QUICK,
  });
  report('graph theme', [light, await paper()]);
  await page.waitForTimeout(400);
  await editor.picture('graph-dark');
  await editor.command('Preferences: Toggle between Light/Dark Themes');

  await graph.locator('[data-relation="shop.orders_raw"] .row[data-path="customer.address.city"]').click();
  await page.waitForSelector('.tab.active[data-resource-name="tables.sql"]', { timeout: QUICK });
  await page.waitForTimeout(500);
  report('graph click', { tab: await editor.tab(), cursor: await editor.cursor() });
  await editor.picture('graph-click');
  await page.locator('.tab', { hasText: 'Lineage:' }).locator('.codicon-close').click();
}

/** The first minutes with nothing but the extension installed: a hover, and the status that tells whose server runs. */
async function first(editor) {
  const { page } = editor;
  await editor.show('bigquery/order_lines.sql');
  report('first hover', await editor.hover('address.city AS city', '.city', 'customer.address.city'));
  await editor.picture('first-hover');
  report('first notices', (await page.locator('.notification-list-item').allInnerTexts()).map(plain));
  await editor.leave();
  await page.locator('.statusbar-item', { hasText: 'SQL Lineage' }).click();
  const row = page.locator('.quick-input-list .monaco-list-row');
  await row.first().waitFor({ timeout: QUICK });
  await page.waitForTimeout(300);
  report('first status', plain(await row.first().innerText()));
  await editor.picture('status');
}

/** The view Upstream / Downstream follows the cursor. */
async function tree(editor) {
  const { page } = editor;
  await editor.show('bigquery/order_lines.sql');
  await editor.click('address.city AS city', 'AS city', 8);
  await editor.command('SQL Lineage: Show upstream and downstream');
  const row = page.locator('.pane-body .monaco-list-row');
  await row.filter({ hasText: 'Upstream' }).first().waitFor({ timeout: QUICK });
  await row.filter({ hasText: 'customer.address.city' }).first().waitFor({ timeout: QUICK });
  await page.waitForTimeout(500);
  report('tree', (await row.allInnerTexts()).map(plain));
  await editor.picture('tree');
  await page.keyboard.press('Control+Shift+e');
}

/** What is typed and changed: completion, rename over files, a quick fix, and a warning that an edit elsewhere removes. */
async function write(editor) {
  const { page } = editor;
  await editor.show('bigquery/order_lines.sql');
  await page.keyboard.press('Control+End');
  await editor.type('\nSELECT r.customer.address.');
  await page.keyboard.press('Escape');
  await editor.type(' FROM shop.orders_raw AS r;');
  for (let back = 0; back < ' FROM shop.orders_raw AS r;'.length; back++) await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Control+Space');
  await page.waitForSelector('.suggest-widget.visible .monaco-list-row', { timeout: QUICK });
  await page.locator('.suggest-widget .monaco-list-row', { hasText: 'country' }).first().waitFor({ timeout: QUICK });
  await page.waitForTimeout(400);
  report('completion', (await page.locator('.suggest-widget .monaco-list-row').allInnerTexts()).map(plain));
  await editor.picture('completion');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Shift+k');

  await editor.show('bigquery/tables.sql');
  await editor.click('name    STRING', 'name');
  await page.keyboard.press('F2');
  await page.waitForFunction(() => document.activeElement?.closest('.rename-box'), undefined, { timeout: QUICK });
  await page.keyboard.press('Control+a');
  await editor.type('full_name');
  await page.keyboard.press('Enter');
  await page.locator('.view-line', { hasText: 'full_name' }).first().waitFor({ timeout: QUICK });
  await editor.picture('rename');
  await page.keyboard.press('Control+k');
  await page.keyboard.press('s');
  await page.waitForTimeout(1000);
  const read = (file) => fs.readFileSync(path.join(workspace, file), 'utf8');
  report('rename', { tables: read('bigquery/tables.sql'), lines: read('bigquery/order_lines.sql') });

  await editor.show('trino/alerts.sql');
  await page.waitForSelector('.squiggly-error, .squiggly-warning', { timeout: QUICK });
  await editor.click('payload.site.floor AS floor', '.floor', 4);
  await page.keyboard.press('Control+.');
  const fix = page.locator('.action-widget .monaco-list-row', { hasText: 'Add `floor' }).first();
  await fix.waitFor({ timeout: QUICK });
  await page.waitForTimeout(300);
  report('fixes', (await page.locator('.action-widget .monaco-list-row').allInnerTexts()).map(plain));
  await editor.picture('quick-fix');
  await page.keyboard.press('Enter');
  // The fix edits the DDL in another file, and the warning here goes without a reload.
  await page.waitForSelector('.squiggly-error, .squiggly-warning', { state: 'detached', timeout: QUICK });
  report('fixed', true);
  await editor.picture('fixed');
}

async function main() {
  fs.mkdirSync(pictures, { recursive: true });
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'sql-lineage-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    viewport: { width: 1280, height: 800 },
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync'],
  });
  const editor = await Editor.open(context, url, workspace, pictures, 'bigquery/tables.sql');
  try {
    // Lenses tell that the server is up and knows the whole workspace.
    await editor.page.waitForSelector('.codelens-decoration:has-text("downstream use")', { timeout: SLOW });
    await editor.page.waitForTimeout(500);
    const parts = { first, read, drawn, tree, write };
    const chosen = (process.env.PARTS ?? 'read,drawn,tree,write').split(',');
    for (const part of chosen) await parts[part](editor);
  } catch (error) {
    await editor.picture('failure').catch(() => undefined);
    throw error;
  } finally {
    await context.close();
    fs.rmSync(profile, { recursive: true, force: true });
  }
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
