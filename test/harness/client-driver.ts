// Drives the PHP or the Python client (client_driver.py, client-driver.php): one process that answers commands, so that a
// test file starts each program once.

import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { phpIsMissing } from './billing-panel.ts';
import { childEnvironment } from './child-environment.ts';
import { type ProgramRun, runProgram } from './run-program.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** `import sellthrough` finds the client, as it does after `pip install`. */
export const pythonClientEnvironment: Readonly<Record<string, string>> = {
  PYTHONPATH: `${root}clients/python/src`,
  PYTHONDONTWRITEBYTECODE: '1',
};

export interface ClientLanguage {
  readonly name: 'PHP' | 'Python';
  /** The reason why it cannot run here, or null. */
  readonly isMissing: string | null;
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Runs the samples of its README as one program, then receives a webhook that is not signed. */
  readonly guide: {
    readonly file: string;
    readonly fence: string;
    readonly flag: string;
    readonly end: string;
  };
  /** The name of an operation's method. */
  readonly methodName: (operationId: string) => string;
}

export const clientLanguages: readonly ClientLanguage[] = [
  {
    name: 'Python',
    isMissing:
      spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0
        ? null
        : 'python 3.9 is not installed here',
    program: 'python3',
    args: [`${root}test/harness/client_driver.py`],
    environment: pythonClientEnvironment,
    guide: {
      file: 'clients/python/README.md',
      fence: 'python',
      flag: '-c',
      end: 'print(receive(b"{}", {}))',
    },
    methodName: (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  },
  {
    name: 'PHP',
    isMissing: phpIsMissing,
    program: 'php',
    args: [`${root}test/harness/client-driver.php`],
    environment: {},
    guide: {
      file: 'clients/php/README.md',
      fence: 'php',
      flag: '-r',
      end: "echo receive('{}', []), PHP_EOL;",
    },
    methodName: (name) => name,
  },
];

export interface ClientCommand {
  readonly address?: string;
  readonly key?: string;
  /** Named as in PHP; times are in seconds. */
  readonly settings?: Readonly<Record<string, number>>;
  readonly group?: string;
  readonly call?: string;
  readonly args?: readonly unknown[];
  readonly idempotencyKey?: string;
  readonly options?: Readonly<Record<string, number>>;
  /** So many items of a walk. */
  readonly take?: number;
  /** Gives up before the first retry, in place of waiting. */
  readonly stops?: boolean;
  readonly methods?: boolean;
  readonly delay?: readonly (number | null)[];
  readonly verify?: readonly unknown[];
}

export interface ClientResult {
  // biome-ignore lint/suspicious/noExplicitAny: each call has an answer of its own, which its test looks at
  readonly answer?: any;
  readonly error?: ClientFailure;
  readonly retries: readonly { readonly delay: number; readonly code: string }[];
  readonly repr?: string;
}

/** What an error of the client has, named as in Python. */
export interface ClientFailure {
  /** Without `Error` or `Exception` at its end. */
  readonly class: string;
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly status: number | null;
  readonly request_id: string;
  readonly idempotency_key: string | null;
  readonly attempts: number;
  readonly retryable: boolean;
  readonly retry_after_seconds: number | null;
  readonly may_have_happened: boolean;
  /** All that a program may log of it. */
  readonly text: string;
  readonly own: Readonly<Record<'required' | 'reason' | 'field', string | null>>;
}

export interface ClientDriver {
  run(command: ClientCommand): Promise<ClientResult>;
  close(): Promise<void>;
}

export function runGuide(
  { program, environment, guide }: ClientLanguage,
  own: Readonly<Record<string, string>>,
): Promise<ProgramRun> {
  const text = readFileSync(`${root}${guide.file}`, 'utf8');
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`${guide.fence}\\n([\\s\\S]*?)^\`\`\``, 'gm'))];
  const folder = mkdtempSync(join(tmpdir(), 'sellthrough-guide-'));
  installPhpClient(folder);
  const code = [...blocks.map(([, block = '']) => block.replace('<?php\n', '')), guide.end].join('\n');
  return runProgram(program, [guide.flag, code], {
    cwd: folder,
    environment: { ...environment, SELLTHROUGH_WEBHOOK_SECRET: 'whsec_AAAA', ...own },
  }).finally(() => rmSync(folder, { recursive: true }));
}

/** As Composer installs it: `require 'vendor/autoload.php'` in the folder finds the client. */
export function installPhpClient(folder: string): void {
  mkdirSync(join(folder, 'vendor'), { recursive: true });
  writeFileSync(
    join(folder, 'vendor', 'autoload.php'),
    `<?php\nrequire '${root}clients/php/autoload.php';\n`,
  );
}

export function startClientDriver({ name, program, args, environment }: ClientLanguage): ClientDriver {
  const child: ChildProcessWithoutNullStreams = spawn(program, args, {
    env: { ...childEnvironment, ...environment },
    stdio: 'pipe',
  });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async run(command) {
      child.stdin.write(
        `${JSON.stringify({ address: 'http://127.0.0.1:9', key: 'sk_live_test', ...command })}\n`,
      );
      const { value, done } = await lines.next();
      if (done === true || complaints !== '') throw new Error(`${name}, ${command.call}: ${complaints}`);
      return JSON.parse(value);
    },
    async close() {
      if (child.exitCode !== null) return;
      const gone = once(child, 'close');
      // A call that never ends must not keep the test's process.
      child.kill();
      await gone;
    },
  };
}
