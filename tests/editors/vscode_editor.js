// VS Code in a page of Chromium, and what a person does in it.
'use strict';

const path = require('node:path');

const SLOW = 90_000; // the first start of an extension host on a busy machine
const QUICK = 20_000;

const plain = (text) => text.replace(/\u00a0/g, ' ').replace(/\u200b/g, '').trim();

/** A page of VS Code with one file open. */
class Editor {
  constructor(page, workspace, pictures) {
    this.page = page;
    this.workspace = workspace;
    this.pictures = pictures;
  }

  static async open(context, url, workspace, pictures, file) {
    const page = context.pages()[0] ?? (await context.newPage());
    const payload = JSON.stringify([['openFile', `vscode-remote://${new URL(url).host}${workspace}/${file}`]]);
    await page.goto(`${url}/?folder=${workspace}&payload=${encodeURIComponent(payload)}`, {
      waitUntil: 'domcontentloaded',
    });
    await page.waitForSelector('.monaco-workbench', { timeout: SLOW });
    return new Editor(page, workspace, pictures);
  }

  /** Takes a row of the prompt that a key opens. A panel that closes just then may take the keys away: once more. */
  async choose(key, text, row, click = true) {
    const input = this.page.locator('.quick-input-widget input.input');
    const focused = () => document.activeElement?.closest('.quick-input-widget') !== null;
    for (let patience = 5; ; patience--) {
      // Where a panel or a web view had the keys, a click on a tab takes them back.
      if (click) await this.page.locator('.tab.active').first().click();
      await this.page.keyboard.press(key);
      try {
        await input.waitFor({ timeout: QUICK / 5 });
        await this.page.waitForFunction(focused, undefined, { timeout: QUICK / 5 });
        await input.fill(text, { timeout: QUICK / 5 });
        await row.click({ timeout: QUICK / 5 });
        return;
      } catch (error) {
        if (patience === 0) throw error;
      }
    }
  }

  /** Opens a file by its path, as Ctrl+P does (without ripgrep it cannot search for names). */
  async show(file) {
    // Files that were open lately may stand above it for a moment.
    const folder = path.join(this.workspace, path.dirname(file));
    const row = `.quick-input-list .monaco-list-row[aria-label*="${path.basename(file)}"][aria-label*="${path.basename(folder)}"]`;
    await this.choose('Control+p', `${this.workspace}/${file}`, this.page.locator(row).first());
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
    await this.page.screenshot({ path: path.join(this.pictures, `${name}.png`) });
  }

  async cursor() {
    return plain(await this.page.locator('.statusbar-item', { hasText: /Ln \d+/ }).first().innerText());
  }

  async tab() {
    return this.page.locator('.tab.active').first().getAttribute('data-resource-name');
  }

  /** Puts the cursor into a word. */
  async click(line, word, nudge = 0) {
    const at = await this.place(line, word);
    await this.page.mouse.click(at.x + nudge, at.y);
    await this.page.waitForTimeout(150);
  }

  /** Runs a command by its title, as F1 does. */
  async command(title) {
    const row = this.page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first();
    await this.choose('F1', `>${title}`, row, false);
  }

  /** Types into the text at the cursor. */
  async type(text) {
    await this.page.keyboard.type(text, { delay: 30 });
  }

  /** The frame of the lineage graph, once something is drawn in it. */
  async graph() {
    for (let patience = QUICK; ; patience -= 200) {
      for (const frame of this.page.frames()) {
        if (await frame.$('#stage svg .row').catch(() => null)) return frame;
      }
      if (patience <= 0) throw new Error('there is no graph');
      await this.page.waitForTimeout(200);
    }
  }
}

module.exports = { Editor, QUICK, SLOW, plain };
