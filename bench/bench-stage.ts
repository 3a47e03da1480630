// The environment of a benchmark: a temporary folder, a PostgreSQL server, and a list of what must be stopped or removed.
// Invariant: close() undoes everything that was registered with `later`, in reverse order. bench.ts and compare.ts call it on
// success, on errors and on Ctrl-C.

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startThrowawayPostgres, type ThrowawayPostgres } from '../scripts/throwaway-postgres.ts';

export interface CommandOptions {
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Stage {
  readonly postgres: ThrowawayPostgres;
  /** A new folder, removed at the end. */
  folder(name: string): string;
  /** Calls `undo` at the end, or when the returned function is called. */
  later(undo: () => Promise<void> | void): () => Promise<void>;
  /** Runs a program to its end; resolves to its standard output. @throws when its exit code is not 0 */
  run(program: string, words: readonly string[], options?: CommandOptions): Promise<string>;
  /** Creates a database on the server, empty or as a copy of one that no one is connected to. */
  createDatabase(name: string, template?: string): Promise<string>;
  dropDatabase(name: string): Promise<void>;
  query(database: string, text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** Closes and then ends the process on Ctrl-C, similar signals and a closed output. The result says if that has begun. */
export function closeOnInterrupt(close: () => Promise<unknown>): () => boolean {
  let interrupted = false;
  const interrupt = () => {
    if (interrupted) return;
    interrupted = true;
    process.stderr.write('\nCleaning up …\n');
    close().finally(() => process.exit(130));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
  process.stdout.on('error', interrupt);
  return () => interrupted;
}

/** `parentFolder`: the folder for the server's data; by default the system's folder for temporary files. */
export async function openStage(
  settings: Readonly<Record<string, string>> = {},
  parentFolder?: string,
): Promise<Stage> {
  // The server is started first: if this process is interrupted meanwhile, the server's own watchdog stops it.
  const postgres = await startThrowawayPostgres({
    settings,
    ...(parentFolder !== undefined && { parentFolder }),
  });
  const root = mkdtempSync(join(tmpdir(), 'sellthrough-bench-'));
  const undos = new Set<() => Promise<void>>();

  function later(undo: () => Promise<void> | void): () => Promise<void> {
    const once = async () => {
      if (!undos.delete(once)) return;
      await undo();
    };
    undos.add(once);
    return once;
  }

  async function close(): Promise<void> {
    for (const undo of [...undos].reverse()) {
      await undo().catch((error: unknown) => process.stderr.write(`cleaning up: ${String(error)}\n`));
    }
  }

  later(() => postgres.remove());
  later(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));

  function urlOf(database: string): string {
    const url = new URL(postgres.url);
    url.pathname = `/${database}`;
    return url.href;
  }

  async function query(database: string, text: string, values: unknown[] = []) {
    const client = new pg.Client({ connectionString: urlOf(database) });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  return {
    postgres,
    later,
    close,
    query,

    folder(name) {
      const folder = join(root, name);
      mkdirSync(folder, { recursive: true });
      return folder;
    },

    run(program, words, { cwd = root, environment = {} } = {}) {
      return new Promise((resolve, reject) => {
        const child = spawn(program, words, {
          cwd,
          env: { PATH: process.env['PATH'], HOME: process.env['HOME'], LC_ALL: 'C', ...environment },
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        const done = later(() => void child.kill('SIGKILL'));
        let output = '';
        let problems = '';
        child.stdout.setEncoding('utf8').on('data', (piece: string) => (output += piece));
        child.stderr.setEncoding('utf8').on('data', (piece: string) => (problems += piece));
        child.once('error', reject);
        child.once('close', (code, signal) => {
          void done();
          if (code === 0) return resolve(output);
          reject(new Error(`${program} ended with ${code ?? signal}:\n${problems}${output}`));
        });
      });
    },

    async createDatabase(name, template = 'template1') {
      await query('postgres', `create database ${name} template ${template}`);
      return urlOf(name);
    },

    async dropDatabase(name) {
      await query('postgres', `drop database if exists ${name} with (force)`);
    },
  };
}
