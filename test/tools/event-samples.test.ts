import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../scripts/throwaway/free-port.ts';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { mintSecret, signedHeaders, signingKeyOf } from '../../src/platform/outbound/webhook-signature.ts';
import { childEnvironment } from '../harness/child-environment.ts';
import { installPhpClient, pythonClientEnvironment } from '../harness/client-driver.ts';
import { isAnswering } from '../harness/is-answering.ts';
import { expectStatus } from '../harness/refusals.ts';
import { runProgram } from '../harness/run-program.ts';
import { placeOrder } from '../harness/shop.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const feedText = readFileSync(join(root, 'docs/events.md'), 'utf8');
const signatureText = readFileSync(join(root, 'docs/webhooks.md'), 'utf8');
const sdkFromSource = join(root, 'test/harness/sdk-from-source.ts');

interface Language {
  readonly title: string;
  readonly command: readonly string[];
  readonly file: string;
  /** null if the sample cannot be an endpoint. */
  readonly endpoint: ((port: number) => readonly string[]) | null;
}

const node = [process.execPath, '--import', sdkFromSource];
const languages: readonly Language[] = [
  { title: 'curl', command: ['bash', '-eu'], file: 'sample.sh', endpoint: null },
  { title: 'TypeScript', command: node, file: 'sample.ts', endpoint: () => node },
  {
    title: 'PHP',
    command: ['php'],
    file: 'sample.php',
    endpoint: (port) => ['php', '-S', `127.0.0.1:${port}`],
  },
  { title: 'Python', command: ['python3'], file: 'sample.py', endpoint: () => ['python3'] },
];
const isThere = ({ title, command: [program = ''] }: Language): boolean =>
  [program, ...(title === 'curl' ? ['curl', 'openssl'] : [])].every(
    (each) => spawnSync(each, [each === 'openssl' ? 'version' : '--version']).error === undefined,
  );

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service?.close());

function sampleOf(text: string, language: string): string {
  const fence = new RegExp(`<summary>${language}</summary>\\n\\n\`\`\`\\w+\\n([\\s\\S]*?\\n)\`\`\`\\n`);
  const [, sample] = fence.exec(text) ?? [];
  assert.ok(sample !== undefined, `a sample in ${language}`);
  return sample;
}

interface Running {
  says(pattern: RegExp): Promise<string>;
  kill(): Promise<void>;
}

function startSample(command: readonly string[], cwd: string, environment: NodeJS.ProcessEnv): Running {
  const [program = '', ...args] = command;
  const child: ChildProcess = spawn(program, args, {
    cwd,
    env: { ...childEnvironment, ...pythonClientEnvironment, NODE_NO_WARNINGS: '1', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, so that curl, for which bash waits, ends too.
    detached: true,
  });
  let said = '';
  const looks = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      for (const look of looks) look();
    });
  const closed = once(child, 'close');
  return {
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (pattern.test(said)) resolve(said);
        };
        looks.add(look);
        look();
        void closed.then(() => reject(new Error(`It ended, and had said: ${said}`)));
      }),
    async kill() {
      const isRunning = child.exitCode === null && child.signalCode === null;
      if (child.pid !== undefined && isRunning) process.kill(-child.pid, 'SIGKILL');
      await closed;
    },
  };
}

for (const language of languages) {
  const skip = isThere(language) ? false : `there is no ${language.title} on this machine`;
  describe(`the samples in ${language.title}${language.title === 'Python' ? ' @nightly' : ''}`, {
    skip,
  }, () => {
    let folder: string;
    const running: Running[] = [];
    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'sellthrough-event-samples-'));
      installPhpClient(folder);
    });
    after(async () => {
      for (const each of running) await each.kill();
      rmSync(folder, { recursive: true, force: true });
    });
    const start = (command: readonly string[], sample: string, environment: NodeJS.ProcessEnv) => {
      writeFileSync(join(folder, language.file), sample);
      const one = startSample([...command, language.file], folder, environment);
      running.push(one);
      return one;
    };

    describe('that follow the feed', () => {
      test('show every event once, also those of the time when they were not running', async () => {
        const account = await service.createReseller({ credit: '100.00' });
        const environment = { SELLTHROUGH_URL: service.address, SELLTHROUGH_KEY: account.key };
        const newest = async () => Number(expectStatus(await account.get('/events'), 200).last_id);
        await newest();
        const sample = sampleOf(feedText, language.title);
        const place = (name: string) =>
          placeOrder(service, account, { customer: `${name}-${account.id}@example.com` });

        await place('first');
        const first = start(language.command, sample, environment);
        const last = await newest();
        await first.says(new RegExp(`${last}`));
        // The reader is waiting now, so it gets the next event at once.
        await place('second');
        const received = await newest();
        await first.says(new RegExp(`${received}`));
        while (Number(readPlace(folder)) !== received)
          await new Promise((resolve) => setTimeout(resolve, 10));
        await first.kill();

        await place('third');
        const again = start(language.command, sample, environment);
        const said = await again.says(new RegExp(`${await newest()}`));
        assert.match(said, new RegExp(`\\b${received + 1}\\b`), 'the first that it has not seen');
        assert.doesNotMatch(said, new RegExp(`\\b${received}\\b`), 'but no event that it has');
        await again.kill();
      });
    });

    describe('that verify a signature', () => {
      const secret = mintSecret();
      const body = JSON.stringify({ id: 2000000017, type: 'order.completed', data: { name: 'Żółw 🐢' } });
      const now = () => Math.floor(Date.now() / 1_000);
      const signed = (keys: readonly string[], at = now()) =>
        signedHeaders({ id: 'evt_2000000017', body, keys: keys.map(signingKeyOf) }, at);
      const cases = (): readonly (readonly [
        what: string,
        ours: boolean,
        Record<string, string>,
        string,
      ])[] => [
        ['signed by the service', true, signed([secret]), body],
        ['signed with two secrets', true, signed([mintSecret(), secret]), body],
        ['signed with another secret', false, signed([mintSecret()]), body],
        ['changed', false, signed([secret]), body.replace('order', 'Order')],
        ['with another id', false, { ...signed([secret]), 'webhook-id': 'evt_1' }, body],
        ['sent again later', false, signed([secret], now() - 301), body],
        ['from the future', false, signed([secret], now() + 400), body],
      ];

      test('say which is ours', async () => {
        const sample = sampleOf(signatureText, language.title);
        const { endpoint } = language;
        if (endpoint === null) {
          writeFileSync(join(folder, language.file), sample);
          for (const [what, isOurs, headers, text] of cases()) {
            writeFileSync(join(folder, 'body.json'), text);
            const [program = '', ...args] = language.command;
            const { code, stdout, stderr } = await runProgram(program, [...args, language.file], {
              cwd: folder,
              environment: {
                SELLTHROUGH_WEBHOOK_SECRET: secret,
                WEBHOOK_ID: headers['webhook-id'] ?? '',
                WEBHOOK_TIMESTAMP: headers['webhook-timestamp'] ?? '',
                WEBHOOK_SIGNATURE: headers['webhook-signature'] ?? '',
              },
            });
            assert.equal(code === 0 && stdout === 'valid\n', isOurs, `${what}: ${stdout}${stderr}`);
          }
          return;
        }
        const port = await freePort();
        const address = `http://127.0.0.1:${port}/`;
        const environment = { SELLTHROUGH_WEBHOOK_SECRET: secret, PORT: String(port) };
        const server = start(endpoint(port), sample, environment);
        while (!(await isAnswering(address))) await new Promise((resolve) => setTimeout(resolve, 20));
        for (const [what, isOurs, headers, text] of cases()) {
          const answer = await fetch(address, { method: 'POST', headers, body: text });
          assert.equal(answer.status, isOurs ? 204 : 400, what);
        }
        await server.says(/2000000017 order\.completed/);
        const none = await fetch(address, { method: 'POST', body });
        assert.equal(none.status, 400, 'without headers');
      });
    });
  });
}

function readPlace(folder: string): string {
  try {
    return readFileSync(join(folder, 'last-event'), 'utf8');
  } catch {
    return '';
  }
}
