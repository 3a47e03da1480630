// The receivers of product calls that the console shows run as they are and check the signature. Go is not run: the tests
// install no compiler for it.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createSecretKey } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../scripts/throwaway/free-port.ts';
import { signedHeaders } from '../../src/platform/outbound/webhook-signature.ts';
import { productHandler } from '../../web/src/features/fulfillment/product-handler.ts';
import { childEnvironment } from '../harness/child-environment.ts';
import { isAnswering } from '../harness/is-answering.ts';

const folder = mkdtempSync(join(tmpdir(), 'sellthrough-handlers-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const bytes = Buffer.from('a secret of thirty-two characters');
const secret = `whsec_${bytes.toString('base64')}`;

const languages = [
  { language: 'typescript', file: 'handler.mjs', command: process.execPath, before: () => [] },
  {
    language: 'php',
    file: 'handler.php',
    command: 'php',
    before: (port: number) => ['-S', `127.0.0.1:${port}`],
  },
  { language: 'python', file: 'handler.py', command: 'python3', before: () => [] },
] as const;

for (const { language, file, command, before } of languages) {
  const isMissing = spawnSync(command, ['--version']).status !== 0;
  test(`the handler in ${language} takes signed calls and no others`, { skip: isMissing }, async () => {
    const path = join(folder, file);
    writeFileSync(path, productHandler(language, secret));
    const port = await freePort();
    const handler = spawn(command, [...before(port), path], {
      env: { ...childEnvironment, PORT: String(port) },
      stdio: 'ignore',
    });
    const gone = once(handler, 'exit');
    try {
      const address = `http://127.0.0.1:${port}`;
      while (!(await isAnswering(address))) {
        assert.equal(handler.exitCode, null, 'it runs');
        await pause(20);
      }
      const body = JSON.stringify({
        id: 'call_order_1',
        type: 'plan.activate',
        data: {
          customer: { reference: 'zoë@example.com' },
          package: { name: 'Studio' },
          limits: {},
          expires_at: '2026-01-31T12:00:00Z',
        },
      });
      const now = Math.floor(Date.now() / 1_000);
      const statusOf = async (key: Buffer, at: number) => {
        const headers = signedHeaders({ id: 'call_order_1', body, keys: [createSecretKey(key)] }, at);
        return (await fetch(`${address}/sellthrough`, { method: 'POST', headers, body })).status;
      };
      assert.deepEqual(
        [
          await statusOf(bytes, now),
          await statusOf(Buffer.from('another secret of 32 characters..'), now),
          await statusOf(bytes, now - 600),
        ],
        [200, 401, 401],
      );
    } finally {
      handler.kill('SIGKILL');
      await gone;
    }
  });
}
