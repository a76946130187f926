/** The machine that the extension runs on. */

import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import type { Command, Machine } from './findServer';

const PATIENCE_MILLISECONDS = 180_000;

export const machine: Machine = {
  platform: process.platform,
  searchPath: process.env.PATH ?? '',
  isFile(file) {
    return fs.statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
  },
  run(command: Command) {
    return new Promise((resolve, reject) => {
      execFile(command.command, command.args, { timeout: PATIENCE_MILLISECONDS, windowsHide: true }, (error, stdout, stderr) => {
        if (error) {
          reject(new Error(stderr.trim() || error.message));
        } else {
          resolve(stdout);
        }
      });
    });
  },
};
