// `npm start` as a child process: a demo on an embedded database of its own.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { briefFlags } from '../../scripts/brief-processes.ts';
import { childEnvironment, programFile } from './child-environment.ts';

export interface DemoProcess {
  readonly address: string;
  /** Resolves once the log has this message. */
  logged(message: string): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export async function startDemo(
  dataDir: string,
  { environment = {}, args = ['--demo'] }: { environment?: Record<string, string>; args?: string[] } = {},
): Promise<DemoProcess> {
  const child = spawn(process.execPath, [...briefFlags, programFile('src/main.ts'), ...args], {
    cwd: tmpdir(),
    env: { ...childEnvironment, DATA_DIR: dataDir, PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const output = { stdout: '', stderr: '' };
  const ended = once(child, 'close').then(() => {
    running.delete(child);
    return true as const;
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const until = async <Found>(find: () => Found | undefined): Promise<Found> => {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      const more = [child.stdout, child.stderr].map((stream) => once(stream, 'data').then(() => false));
      if (await Promise.race([ended, ...more]))
        assert.fail(`the demo ended:\n${output.stdout}${output.stderr}`);
    }
  };
  const address = await until(() => /listens at (\S+)\n[\s\S]*\n\n$/.exec(output.stderr)?.[1]);
  return {
    address,
    logged: async (message) => {
      await until(() => (output.stdout.includes(`"msg":"${message}"`) ? true : undefined));
    },
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      await ended;
    },
  };
}
