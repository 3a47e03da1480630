import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface ProgramRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export async function runProgram(
  program: string,
  args: readonly string[],
  {
    cwd,
    environment = {},
  }: { readonly cwd: string; readonly environment?: Readonly<Record<string, string>> },
): Promise<ProgramRun> {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...environment },
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const missing = new Promise<null>((resolve) => {
    child.once('error', (error) => {
      stderr += error.message;
      resolve(null);
    });
  });
  const code = await Promise.race([
    once(child, 'close').then(([status]) => status as number | null),
    missing,
  ]);
  return { code, stdout, stderr };
}
