// Opens the configured database for one command and closes it again. What stops it is one sentence.

import { type OpenedDatabase, openDatabase } from '../bootstrap.ts';
import { readConfig } from '../config.ts';
import { endWell } from './command-end.ts';

export function epochSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** What takes long says so on standard error. */
export function say(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}

export function withDatabase(
  work: (opened: OpenedDatabase) => Promise<void>,
  options: { mayMigrate?: boolean } = {},
): Promise<void> {
  return endWell(async () => {
    const opened = await openDatabase(readConfig(process.env), epochSeconds(), { say, ...options });
    try {
      await work(opened);
    } finally {
      await opened.database.close();
    }
  });
}
