import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { errorMessageOf } from '../../src/setup/error-message.ts';
import { addressText } from '../../src/setup/welcome.ts';

const embedded = { kind: 'embedded', dataDir: '/data' } as const;
const address = 'http://127.0.0.1:3000';

test('a start shows the address that others use, and says when links would lead them nowhere', () => {
  const behind = addressText(address, embedded, {
    publicUrl: 'https://resell.example.com',
    isOpen: true,
    logsRequests: true,
  });
  assert.match(behind, /panel +https:\/\/resell\.example\.com\/panel\//);
  assert.doesNotMatch(behind, /PUBLIC_URL/);
  assert.match(
    addressText(address, embedded, { publicUrl: null, isOpen: true, logsRequests: true }),
    /set PUBLIC_URL/,
  );
  assert.doesNotMatch(
    addressText(address, embedded, { publicUrl: null, isOpen: false, logsRequests: true }),
    /PUBLIC_URL/,
  );
});

test('a port that is taken is named, and so is a HOST that has no address', async () => {
  const first = createServer().listen({ host: '127.0.0.1', port: 0 });
  await once(first, 'listening');
  const bound = first.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  const [taken] = await once(createServer().listen({ host: '127.0.0.1', port }), 'error');
  assert.equal(
    errorMessageOf(taken),
    `The port is in use: another program listens on ${port}. Choose another one with PORT.`,
  );
  first.close();
  const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND nohost.invalid'), {
    code: 'ENOTFOUND',
    syscall: 'getaddrinfo',
    hostname: 'nohost.invalid',
  });
  assert.match(errorMessageOf(unknown), /^No address was found for nohost\.invalid\. Set HOST /);
});
