import { type Config, readConfig } from '../setup/config.ts';
import type { Environment } from '../setup/settings.ts';
import { commandIo, fromCommandFolder } from './command-io.ts';

/** @throws ConfigProblem */
export function readCommandConfig(environment: Environment = commandIo().env): Config {
  const config = readConfig(environment);
  if (config.database.kind !== 'embedded') return config;
  return { ...config, database: { ...config.database, dataDir: fromCommandFolder(config.database.dataDir) } };
}
