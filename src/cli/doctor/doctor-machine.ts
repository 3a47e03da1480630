// doctor's checks outside the database: Node, files and folders, disk, port.

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, resolve } from 'node:path';
import { findUnfinished } from '../../features/backup/write-backup.ts';
import type { Check } from '../../setup/checks/doctor-check.ts';
import type { Config } from '../../setup/config.ts';
import { fromCommandFolder } from '../command-io.ts';

const oldestNode = [24, 12] as const;
const askMilliseconds = 2_000;

export function checkNode(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isOld = major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1]);
  return isOld
    ? {
        name: 'Node',
        state: 'fail',
        says: `${process.version} is too old: ${oldestNode.join('.')} or newer is needed`,
      }
    : { name: 'Node', state: 'ok', says: process.version };
}

export function checkEnvFile(): Check {
  const name = '.env';
  if (!existsSync(fromCommandFolder('.env'))) {
    return {
      name,
      state: 'ok',
      says: 'none in this folder; the environment is used ("sellthrough init" makes one)',
    };
  }
  const othersMayRead =
    process.platform !== 'win32' && (statSync(fromCommandFolder('.env')).mode & 0o077) !== 0;
  return othersMayRead
    ? { name, state: 'warn', says: 'other users of this machine can read its secrets: run chmod 600 .env' }
    : { name, state: 'ok', says: 'read; only its owner may read it' };
}

export async function checkPages(): Promise<Check> {
  const { builtPagesFolder } = await import('../../platform/http/built-pages.ts');
  const isBuilt = existsSync(`${builtPagesFolder}index.html`);
  return isBuilt
    ? { name: 'pages', state: 'ok', says: 'built' }
    : {
        name: 'pages',
        state: 'warn',
        says: 'not built: the API works, /panel/ does not; run npm run build --workspace web',
      };
}

export async function checkPort({ host, port }: Config): Promise<Check> {
  const name = 'port';
  if (port === 0) return { name, state: 'ok', says: 'chosen by the system' };
  const problem = await listenProblem(host, port);
  if (problem === null) return { name, state: 'ok', says: `${host}:${port} is free` };
  if (problem === 'EADDRINUSE') {
    return (await isSellthrough(host, port))
      ? { name, state: 'ok', says: `a Sellthrough answers at ${host}:${port}` }
      : {
          name,
          state: 'fail',
          says: `${host}:${port} is taken by another program: stop it, or choose another PORT`,
        };
  }
  if (problem === 'EACCES') {
    return { name, state: 'fail', says: `this user may not listen on port ${port}: choose one above 1023` };
  }
  return {
    name,
    state: 'fail',
    says: `the service cannot listen on ${host}:${port} (${problem}): HOST must be an address of this machine`,
  };
}

function listenProblem(host: string, port: number): Promise<string | null> {
  return new Promise((done) => {
    const server = createServer();
    server.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => done(null)));
  });
}

async function isSellthrough(host: string, port: number): Promise<boolean> {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  try {
    const address = `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}/api/v1/openapi.json`;
    const response = await fetch(address, { signal: AbortSignal.timeout(askMilliseconds) });
    return (await response.text()).includes('"title":"Sellthrough"');
  } catch {
    return false;
  }
}

export function checkBackups({ database }: Config): Check {
  const name = 'backups';
  const dataDirs = database.kind === 'embedded' ? [database.dataDir, dirname(resolve(database.dataDir))] : [];
  const folders = [...new Set(['.', ...dataDirs].map(fromCommandFolder))].filter(isReadableFolder);
  const left = folders.flatMap(findUnfinished);
  return left.length === 0
    ? {
        name,
        state: 'ok',
        says: `none unfinished in ${folders.join(' or ')}; other folders were not checked`,
      }
    : {
        name,
        state: 'warn',
        says: `${left.join(' and ')}: left by an interrupted backup: delete it, unless a backup is running now`,
      };
}

function isReadableFolder(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.X_OK);
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
