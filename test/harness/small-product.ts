// The products of examples/small-product/, each as a process in its own folder.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../scripts/throwaway/free-port.ts';
import { childEnvironment } from './child-environment.ts';
import { installPhpClient } from './client-driver.ts';
import { isAnswering } from './is-answering.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const source = (name: string) => join(root, 'examples/small-product', name);
const sdkFromSource = join(root, 'test/harness/sdk-from-source.ts');

const php = 'php';

/** The commands of one product for a port. PHP has one command for requests and one for the copy. */
export const smallProducts = [
  {
    language: 'TypeScript',
    isMissing: false,
    commandsOf: (port: number) => [
      [process.execPath, '--import', sdkFromSource, source('small-product.ts'), String(port)],
    ],
  },
  {
    language: 'PHP',
    isMissing: spawnSync(php, ['-r', 'exit(PHP_VERSION_ID >= 80100 ? 0 : 1);']).status !== 0,
    commandsOf: (port: number) => [
      [php, '-S', `127.0.0.1:${port}`, 'small-product.php'],
      [php, 'small-product.php'],
    ],
  },
] as const;

export interface SmallProduct {
  readonly address: string;
  /** Contains calls.jsonl and copy.json. */
  readonly folder: string;
  start(): Promise<void>;
  kill(): Promise<void>;
  remove(): Promise<void>;
}

export async function createSmallProduct(
  commandsOf: (port: number) => readonly (readonly string[])[],
  environment: Readonly<Record<string, string>>,
): Promise<SmallProduct> {
  const folder = mkdtempSync(join(tmpdir(), 'sellthrough-small-product-'));
  // The product in PHP loads the client from its own folder.
  copyFileSync(source('small-product.php'), join(folder, 'small-product.php'));
  installPhpClient(folder);
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  let running: readonly ChildProcess[] = [];
  let said = '';

  async function kill(): Promise<void> {
    const ended = running.filter(isRunning).map((child) => once(child, 'close'));
    for (const child of running) child.kill('SIGKILL');
    running = [];
    await Promise.all(ended);
  }

  return {
    address,
    folder,
    async start() {
      running = commandsOf(port).map(([program = '', ...args]) => {
        const child = spawn(program, args, {
          cwd: folder,
          env: { ...childEnvironment, ...environment, PRODUCT_FOLDER: folder, NODE_NO_WARNINGS: '1' },
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
        return child;
      });
      while (!(await isAnswering(address))) {
        if (!running.every(isRunning)) throw new Error(`It ended: ${said}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    kill,
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function timesDecided({ folder }: SmallProduct, callId: string): number {
  const text = readFileSync(join(folder, 'calls.jsonl'), 'utf8');
  return text.split('\n').filter((line) => line.includes(JSON.stringify(callId))).length;
}

const isRunning = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null;
