// Opens the configured database for one command and closes it again. What stops it is one sentence.

import { existsSync } from 'node:fs';
import { type OpenedDatabase, openDatabase } from '../bootstrap.ts';
import { readConfig } from '../config.ts';
import { sentenceOf } from '../sentences.ts';

export function epochSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

export async function withDatabase(
  work: (opened: OpenedDatabase) => Promise<void>,
  options: { mayMigrate?: boolean } = {},
): Promise<void> {
  try {
    if (existsSync('.env')) process.loadEnvFile('.env');
    const opened = await openDatabase(readConfig(process.env), epochSeconds(), options);
    try {
      await work(opened);
    } finally {
      await opened.database.close();
    }
  } catch (error) {
    process.stderr.write(`sellthrough: ${sentenceOf(error)}\n`);
    process.exitCode = 1;
  }
}
