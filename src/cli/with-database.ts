// Opens the configured database for a command and closes it. Errors become one sentence.

import type { Config } from '../setup/config.ts';
import { type FoundDatabase, findDatabase } from '../setup/open-database.ts';
import { readCommandConfig } from './command-config.ts';
import { endWell } from './command-end.ts';
import { commandIo } from './command-io.ts';

export function epochSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

export function say(sentence: string): void {
  commandIo().stderr.write(`${sentence}\n`);
}

export function withDatabase(
  schema: 'migrate' | 'current' | 'any',
  work: (found: FoundDatabase) => Promise<void>,
): Promise<void> {
  return endWell(() => useDatabase(schema, work));
}

export async function useDatabase<Result>(
  schema: 'migrate' | 'current' | 'any',
  work: (found: FoundDatabase) => Promise<Result>,
  config: Config = readCommandConfig(),
): Promise<Result> {
  const found = await findDatabase(config, epochSeconds(), schema, { say });
  try {
    return await work(found);
  } finally {
    await found.database.close();
  }
}
