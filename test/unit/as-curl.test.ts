// What "Copy as curl" puts on the clipboard: a shell passes every part of the request on as it was.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { asCurl } from '../../web/src/features/request-log/as-curl.ts';

test('a shell passes on quotes, $(), brackets and a body that begins with @ as they were', () => {
  const body = `@/etc/hostname '$(id)' \`id\`\n"x" \\`;
  const request = { method: 'POST', path: "/api/v1/orders/it's" };
  const sent = { query: 'a[b]={c}', idempotency_key: "k'1", content_type: 'application/json', body };
  const detail = { request, exchange: { sent } } as unknown as Parameters<typeof asCurl>[0];
  const script = `curl() { printf '%s\\0' "$@"; }\n${asCurl(detail, 'https://sell.example.com/api/v1')}`;
  const environment = { env: { SELLTHROUGH_KEY: 'sk_live_x' }, encoding: 'utf8' } as const;
  assert.deepEqual(execFileSync('/bin/sh', ['-c', script], environment).split('\0').slice(0, -1), [
    ...['-i', '-g', '-X', 'POST', "https://sell.example.com/api/v1/orders/it's?a[b]={c}"],
    ...['-H', 'Authorization: Bearer sk_live_x', '-H', "Idempotency-Key: k'1"],
    ...['-H', 'Content-Type: application/json', '--data-raw', body],
  ]);
});
