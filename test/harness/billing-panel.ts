// Runs a stand-in for a billing panel (test/stand-ins/*.php) with an unpacked module, as a process that answers commands.

import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Panel, packModule } from '../../scripts/build-integrations.ts';

const standIns = fileURLToPath(new URL('../stand-ins/', import.meta.url));

/** A reason why the modules cannot run here, or null. */
export const phpIsMissing =
  spawnSync('php', [
    '-r',
    'exit(PHP_VERSION_ID >= 80100 && extension_loaded("curl") && extension_loaded("mbstring") ? 0 : 1);',
  ]).status === 0
    ? null
    : 'php 8.1 with curl and mbstring is not installed here';

export interface PanelAnswer {
  // biome-ignore lint/suspicious/noExplicitAny: each command has an answer of its own, which its test looks at
  readonly answer: any;
  readonly service: {
    readonly status: string;
    readonly due: string;
    readonly username: string;
    readonly fields: Readonly<Record<string, string>>;
  };
  readonly log: readonly string[];
  readonly activity: readonly string[];
}

export interface BillingPanel {
  say(what: string, more?: Readonly<Record<string, unknown>>): Promise<PanelAnswer>;
  readonly logged: () => string;
  close(): Promise<void>;
}

export function unpackModule(panel: Panel, folder: string): string {
  const { name, bytes } = packModule(panel);
  const archive = join(folder, name);
  writeFileSync(archive, bytes);
  const extract = '(new PharData($argv[1]))->extractTo($argv[2]);';
  const { status, stderr } = spawnSync('php', ['-r', extract, archive, folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${name} cannot be unpacked: ${stderr}`);
  const place = panel === 'whmcs' ? 'modules/servers' : 'components/modules';
  return join(folder, place, 'sellthrough', 'sellthrough.php');
}

/** `module` is the module's file. A PHP error makes the answer fail. */
export function openPanel(panel: Panel, module: string, temporaryFolder: string): BillingPanel {
  const options = ['-d', 'display_errors=stderr', '-d', 'error_reporting=-1', '-d', 'log_errors=0'];
  const child: ChildProcessWithoutNullStreams = spawn(
    'php',
    [...options, '-d', `sys_temp_dir=${temporaryFolder}`, join(standIns, `${panel}.php`), module],
    { stdio: 'pipe' },
  );
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const log: string[] = [];
  return {
    async say(what, more = {}) {
      child.stdin.write(`${JSON.stringify({ do: what, ...more })}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`The stand-in has ended. ${complaints}`);
      const answer = JSON.parse(value);
      if (complaints !== '' || answer.thrown !== undefined) {
        throw new Error(`${what}: ${complaints}${answer.thrown ?? ''}`);
      }
      log.push(...answer.log);
      return answer;
    },
    logged: () => log.join('\n'),
    async close() {
      const gone = once(child, 'close');
      child.stdin.end();
      await gone;
    },
  };
}
