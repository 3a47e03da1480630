// The key that an embedded service generates (src/platform/secrets/secret-key-file.ts) survives a power cut.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findKeptSecretKey, makeKeptSecretKey } from '../../src/platform/secrets/secret-key-file.ts';

test('a key is on disk before its name, and its name before anyone is given it', (context) => {
  const folder = fs.mkdtempSync(join(tmpdir(), 'sellthrough-kept-key-'));
  const done: string[] = [];
  const paths = new Map<number, string>();
  const real = { openSync: fs.openSync, fsyncSync: fs.fsyncSync, renameSync: fs.renameSync };
  context.mock.method(fs, 'openSync', (path: string, flags?: string, mode?: number) => {
    const descriptor = real.openSync(path, flags ?? 'r', mode);
    paths.set(descriptor, path);
    return descriptor;
  });
  context.mock.method(fs, 'fsyncSync', (descriptor: number) => {
    done.push(`sync ${paths.get(descriptor)}`);
    real.fsyncSync(descriptor);
  });
  context.mock.method(fs, 'renameSync', (from: string, to: string) => {
    done.push(`rename ${from}`);
    real.renameSync(from, to);
  });
  syncBuiltinESMExports();
  try {
    const key = makeKeptSecretKey(folder);
    assert.deepEqual(done.slice(-2), [`rename ${join(folder, 'secret.key.new')}`, `sync ${folder}`]);
    assert.equal(findKeptSecretKey(folder), key);
    assert.equal(fs.statSync(join(folder, 'secret.key')).mode & 0o777, 0o600);
    assert.deepEqual(fs.readdirSync(folder), ['secret.key']);
  } finally {
    context.mock.restoreAll();
    syncBuiltinESMExports();
    fs.rmSync(folder, { recursive: true, force: true });
  }
});
