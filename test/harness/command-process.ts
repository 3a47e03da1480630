// Runs the command line in its own folder, without this process's settings, mostly within this process.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { briefFlags } from '../../scripts/brief-processes.ts';
import { keepPostgresCompiled } from '../../scripts/throwaway/test-database.ts';
import { runCommandLine } from '../../src/command-line.ts';
import { childEnvironment, programFile } from './child-environment.ts';

export interface CommandEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly cwd: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Drops root's rights if the test runs as root, because root ignores permissions. */
  readonly notAsRoot?: boolean;
}

export const becomeNobody = new URL('become-nobody.mjs', import.meta.url).href;

export function startCommand(
  args: readonly string[],
  { cwd, environment, notAsRoot }: CommandOptions,
): ChildProcess {
  const preload = notAsRoot && process.getuid?.() === 0 ? ['--import', becomeNobody] : [];
  return spawn(process.execPath, [...briefFlags, ...preload, programFile('src/sellthrough.ts'), ...args], {
    cwd,
    env: { ...childEnvironment, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs the command in this process. `serve` runs in another one, because it ends its process. */
export async function runCommand(args: readonly string[], options: CommandOptions): Promise<CommandEnd> {
  if (options.notAsRoot || args[0] === 'serve') return runCommandProcess(args, options);
  await keepPostgresCompiled();
  const stdout = new TextCollector();
  const stderr = new TextCollector();
  const env = { ...childEnvironment, ...options.environment };
  const code = await runCommandLine(args, {
    stdin: Readable.from([]),
    stdout,
    stderr,
    env,
    cwd: options.cwd,
  });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

export async function runCommandProcess(
  args: readonly string[],
  options: CommandOptions,
): Promise<CommandEnd> {
  const child = startCommand(args, options);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...output }));
  });
}

class TextCollector extends Writable {
  text = '';
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape and assert what they find
export async function runForJson(args: readonly string[], options: CommandOptions): Promise<any> {
  const { code, stdout, stderr } = await runCommand([...args, '--json'], options);
  assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
  return JSON.parse(stdout);
}

export function assertRefused(end: CommandEnd, code: number, sentence: RegExp): void {
  assert.equal(end.code, code, end.stderr);
  assert.match(end.stderr, /^sellthrough: [^\n]+\n$/);
  assert.match(end.stderr, sentence);
  assert.equal(end.stdout, '');
}
