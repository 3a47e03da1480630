// The samples of two guides, as printed, in test mode: a year with its twelve renewals, and funds that are added.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { childEnvironment } from '../harness/child-environment.ts';
import { installPhpClient, pythonClientEnvironment } from '../harness/client-driver.ts';
import { expectStatus } from '../harness/refusals.ts';
import { runProgram } from '../harness/run-program.ts';
import { testModeOf } from '../harness/test-mode.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const guides = [
  {
    name: 'a year of test mode',
    file: 'docs/test-mode.md',
    /** 1000.00 less the order and twelve renewals at 10.00. */
    said: /870\.00/,
    check: async (tests: TestAccount) =>
      assert.equal(expectStatus(await tests.get('/orders'), 200).total, 13),
  },
  {
    name: 'adding funds',
    file: 'docs/adding-funds.md',
    said: /paid[\s\S]*1250\.00/,
    check: async (tests: TestAccount) => assert.equal(expectStatus(await tests.get('/topups'), 200).total, 1),
  },
] as const;

const languages = [
  { title: 'curl', command: ['bash', '-eu'], file: 'sample.sh' },
  {
    title: 'TypeScript',
    command: [process.execPath, '--import', join(root, 'test/harness/sdk-from-source.ts')],
    file: 'sample.ts',
  },
  { title: 'PHP', command: ['php'], file: 'sample.php' },
  { title: 'Python', command: ['python3'], file: 'sample.py' },
] as const;

let service: TestService;
let folder: string;
before(async () => {
  service = await startTestService();
  folder = mkdtempSync(join(tmpdir(), 'sellthrough-test-mode-'));
  installPhpClient(folder);
});
after(async () => {
  rmSync(folder, { recursive: true });
  await service.close();
});

for (const { title, command, file } of languages) {
  const isMissing = [command[0], ...(title === 'curl' ? ['curl'] : [])].some(
    (program) => spawnSync(program, ['--version']).error !== undefined,
  );
  for (const guide of guides) {
    const skip = isMissing && `there is no ${title} on this machine`;
    test(`${guide.name} in ${title}${title === 'Python' ? ' @nightly' : ''}`, { skip }, async () => {
      const fence = new RegExp(`<summary>${title}</summary>\\n\\n\`\`\`\\w+\\n([\\s\\S]*?\\n)\`\`\`\\n`);
      const [, sample] = fence.exec(readFileSync(join(root, guide.file), 'utf8')) ?? [];
      assert.ok(sample !== undefined, `a sample in ${title}`);
      const reseller = await service.createReseller();
      const tests = await testModeOf(service, reseller);
      const path = join(folder, file);
      writeFileSync(path, sample);
      const [program, ...args] = command;
      const { code, stdout, stderr } = await runProgram(program, [...args, path], {
        cwd: folder,
        environment: {
          ...childEnvironment,
          ...pythonClientEnvironment,
          NODE_NO_WARNINGS: '1',
          SELLTHROUGH_URL: service.address,
          SELLTHROUGH_KEY: tests.key,
        },
      });
      assert.equal(code, 0, stderr);
      assert.match(stdout, guide.said);
      await guide.check(tests);
      expectStatus(await tests.post('/test/reset'), 200);
    });
  }
}
