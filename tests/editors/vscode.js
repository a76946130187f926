// Drives VS Code (code-server) in headless Chromium on the example workspace, as a person would.
// usage: node vscode.js URL WORKSPACE PICTURES CHROMIUM
// Prints one line of JSON for each thing seen; a picture of each goes to PICTURES.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { chromium } = require('playwright-core');

const [url, workspace, pictures, executablePath] = process.argv.slice(2);
const SLOW = 90_000; // the first start of an extension host on a busy machine
const QUICK = 20_000;

const report = (what, value) => console.log(JSON.stringify({ what, value }));
const plain = (text) => text.replace(/\u00a0/g, ' ').replace(/\u200b/g, '').trim();

/** A page of VS Code with one file open. */
class Editor {
  constructor(page) {
    this.page = page;
  }

  static async open(context, file) {
    const page = context.pages()[0] ?? (await context.newPage());
    const payload = JSON.stringify([['openFile', `vscode-remote://${new URL(url).host}${workspace}/${file}`]]);
    await page.goto(`${url}/?folder=${workspace}&payload=${encodeURIComponent(payload)}`, {
      waitUntil: 'domcontentloaded',
    });
    await page.waitForSelector('.monaco-workbench', { timeout: SLOW });
    return new Editor(page);
  }

  /** Opens a file by its path, as Ctrl+P does (without ripgrep it cannot search for names). */
  async show(file) {
    await this.page.keyboard.press('Control+p');
    await this.page.waitForSelector('.quick-input-widget input', { timeout: QUICK });
    await this.page.keyboard.type(`${workspace}/${file}`);
    await this.page.waitForSelector(`.quick-input-list .monaco-list-row[aria-label*="${path.basename(file)}"]`, {
      timeout: QUICK,
    });
    await this.page.keyboard.press('Enter');
    await this.page.waitForSelector(`.tab.active[data-resource-name="${path.basename(file)}"]`, { timeout: QUICK });
    await this.page.waitForSelector('.codelens-decoration:has-text("downstream use")', { timeout: QUICK });
    await this.page.waitForTimeout(500);
  }

  /** The middle of a word in the line that contains `line`, in pixels. */
  async place(line, word) {
    const find = ([wantedLine, wantedWord]) => {
      const normal = (text) => text.replace(/\u00a0/g, ' ');
      const element = [...document.querySelectorAll('.view-line')].find((item) =>
        normal(item.textContent).includes(wantedLine),
      );
      if (!element) return null;
      const start = normal(element.textContent).indexOf(wantedLine) + wantedLine.indexOf(wantedWord);
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      let seen = 0;
      const at = (offset) => {
        for (let node = walker.currentNode; node; node = walker.nextNode()) {
          if (node.nodeType === Node.TEXT_NODE) {
            if (offset < seen + node.data.length) return [node, offset - seen];
            seen += node.data.length;
          }
        }
        return null;
      };
      const found = at(start + Math.floor(wantedWord.length / 2));
      if (!found) return null;
      const range = document.createRange();
      range.setStart(found[0], found[1]);
      range.setEnd(found[0], found[1] + 1);
      const box = range.getBoundingClientRect();
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    };
    const handle = await this.page.waitForFunction(find, [line, word], { timeout: QUICK });
    return handle.jsonValue();
  }

  /** The text of the hover over a word. Lenses that appear move the lines: it points again until the hover is there. */
  async hover(line, word, expected) {
    const box = this.page.locator('.monaco-hover:not(.hidden) .hover-contents', { hasText: expected }).first();
    for (let patience = QUICK; ; patience -= 4000) {
      const at = await this.place(line, word);
      await this.page.mouse.move(at.x, at.y - 3);
      await this.page.mouse.move(at.x, at.y, { steps: 5 });
      try {
        await box.waitFor({ timeout: 4000 });
        break;
      } catch (error) {
        if (patience <= 0) throw error;
        await this.leave();
      }
    }
    await this.page.waitForTimeout(400);
    return plain(await this.page.locator('.monaco-hover:not(.hidden)').first().innerText());
  }

  async leave() {
    await this.page.mouse.move(900, 700);
    await this.page.keyboard.press('Escape');
    await this.page.waitForTimeout(300);
  }

  async picture(name) {
    await this.page.screenshot({ path: path.join(pictures, `${name}.png`) });
  }

  async cursor() {
    return plain(await this.page.locator('.statusbar-item', { hasText: /Ln \d+/ }).first().innerText());
  }

  async tab() {
    return this.page.locator('.tab.active').first().getAttribute('data-resource-name');
  }
}

async function tour(editor) {
  const { page } = editor;
  // Lenses tell that the server is up and knows the whole workspace.
  await page.waitForSelector('.codelens-decoration:has-text("downstream use")', { timeout: SLOW });
  await page.waitForTimeout(500);
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
  const editor = await Editor.open(context, 'bigquery/tables.sql');
  try {
    await tour(editor);
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
