// A database on the shared or a throwaway server, from a template with this version's tables or empty.

import { randomBytes } from 'node:crypto';
import { postgresForTests } from '../../scripts/throwaway-postgres.ts';
import { askServer } from './one-question.ts';

export interface PostgresDatabase {
  readonly url: string;
  remove(): Promise<void>;
}

export async function createPostgresDatabase({ isEmpty = false } = {}): Promise<PostgresDatabase> {
  const server = await postgresForTests();
  const name = `sellthrough_process_${randomBytes(6).toString('hex')}`;
  const template = isEmpty ? undefined : process.env['TEST_DATABASE_TEMPLATE'];
  await askServer(
    server.url,
    `create database ${name}${template === undefined ? '' : ` template ${template} strategy file_copy`}`,
  );
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    async remove() {
      await askServer(server.url, `drop database if exists ${name} with (force)`);
      await server.remove();
    },
  };
}
