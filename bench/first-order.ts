// Measures how long a newcomer waits: from `npm start` in an installed checkout to the first order answered with 201, on the
// embedded database. Once in a new folder, and once with the data of that first start.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Stage } from './bench-stage.ts';
import { orderBody, ordersPath } from './load.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

export async function timeFirstOrders(stage: Stage, round: number): Promise<{ cold: number; warm: number }> {
  const dataDir = join(stage.folder('first-order'), `round-${round}`);
  const cold = await secondsToFirstOrder(stage, dataDir, 'cold');
  const warm = await secondsToFirstOrder(stage, dataDir, 'warm');
  return { cold, warm };
}

async function secondsToFirstOrder(stage: Stage, dataDir: string, customer: string): Promise<number> {
  const began = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: root,
    // The empty variables override those of a .env in the checkout.
    env: { ...plainEnvironment(), DATA_DIR: dataDir, DATABASE_URL: '', SECRET_KEY: '', PORT: '0', DEMO: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
    // A process group, so that npm, its shell and the service end together.
    detached: true,
  });
  const end = stage.later(() => endGroup(child.pid));
  try {
    const { address, key } = await new Promise<{ address: string; key: string }>((resolve, reject) => {
      let said = '';
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`npm start ended:\n${said}`)));
      child.stderr.setEncoding('utf8').on('data', (piece: string) => {
        said += piece;
        const [, address, file] = /curl -i (http:\/\/[^/]+)\/\S+ .* '([^']+)'\)" .*\n/.exec(said) ?? [];
        if (address === undefined || file === undefined) return;
        const [, key = ''] = /^API key +(\S+)$/m.exec(readFileSync(file, 'utf8')) ?? [];
        resolve({ address, key });
      });
    });
    const answer = await fetch(`${address}${ordersPath}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'idempotency-key': customer },
      body: orderBody(1, customer),
    });
    const text = await answer.text();
    if (answer.status !== 201) throw new Error(`The first order was answered with ${answer.status}: ${text}`);
    return (performance.now() - began) / 1000;
  } finally {
    await end();
  }
}

const endMilliseconds = 20_000;
const pollMilliseconds = 25;

/** Waits for the service, because npm does not wait, so that the data folder is free before it is used again. */
async function endGroup(pid: number | undefined): Promise<void> {
  if (pid === undefined) return;
  const signal = (name: NodeJS.Signals | 0) => {
    try {
      return process.kill(-pid, name);
    } catch {
      return false;
    }
  };
  signal('SIGTERM');
  const deadline = performance.now() + endMilliseconds;
  while (signal(0)) {
    if (performance.now() > deadline) signal('SIGKILL');
    await sleep(pollMilliseconds);
  }
}

/** Leaves out npm's own variables and the settings of the service. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'HOME', 'USER', 'SHELL', 'LANG', 'TMPDIR', 'TEMP', 'SystemRoot', 'APPDATA'];
  return Object.fromEntries(kept.map((name) => [name, process.env[name]]));
}
