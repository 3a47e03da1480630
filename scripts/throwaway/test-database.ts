// A fresh database for one test file, copied from a template with the schema. TEST_DATABASE chooses a folder (in
// TEST_FOLDER) for the embedded database, or a database on TEST_DATABASE_URL's server.

import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { DatabaseConfig } from '../../src/setup/config.ts';
import { citusServers, createCitusDatabase } from './citus-database.ts';

export interface TestDatabase {
  readonly config: DatabaseConfig;
  remove(): Promise<void>;
}

export const isPostgres = process.env['TEST_DATABASE'] === 'postgres';

let compiledOnce: Promise<WebAssembly.Module> | undefined;

/** V8 drops compiled WebAssembly with its last user. Compiling it again would double most tests' cost. */
export async function keepPostgresCompiled(): Promise<void> {
  const wasm = new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite'));
  compiledOnce ??= WebAssembly.compile(readFileSync(wasm));
  await compiledOnce;
}

export async function createTestDatabase({ isEmpty = false } = {}): Promise<TestDatabase> {
  if (!isPostgres) {
    await keepPostgresCompiled();
    const dataDir = mkdtempSync(join(process.env['TEST_FOLDER'] ?? tmpdir(), 'sellthrough-test-'));
    if (!isEmpty) copyEmbeddedTemplate(dataDir);
    return {
      config: { kind: 'embedded', dataDir },
      remove: async () => rmSync(dataDir, { recursive: true, force: true }),
    };
  }
  const citus = citusServers();
  if (citus !== null) {
    const { connectionString, remove } = await createCitusDatabase(citus);
    return { config: { kind: 'postgres', connectionString }, remove };
  }
  const server = process.env['TEST_DATABASE_URL'];
  if (server === undefined)
    throw new Error('TEST_DATABASE=postgres needs TEST_DATABASE_URL; "npm test" sets it.');
  const name = `sellthrough_test_${randomBytes(6).toString('hex')}`;
  const template = isEmpty ? undefined : process.env['TEST_DATABASE_TEMPLATE'];
  await onServer(
    server,
    `create database ${name}${template === undefined ? '' : ` template ${template} strategy file_copy`}`,
  );
  const url = new URL(process.env['TEST_DATABASE_SOCKET_URL'] ?? server);
  url.pathname = `/${name}`;
  return {
    config: { kind: 'postgres', connectionString: url.href },
    remove: () => onServer(server, `drop database if exists ${name} with (force)`),
  };
}

export function copyEmbeddedTemplate(dataDir: string): void {
  const template = process.env['TEST_EMBEDDED_TEMPLATE'];
  if (template !== undefined) cpSync(template, dataDir, { recursive: true });
}

async function onServer(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(statement);
  await client.end();
}
