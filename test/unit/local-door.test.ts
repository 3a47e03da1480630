// Only the user that runs a service can reach its socket, from the moment at which the socket exists.

import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import {
  connectControlSocket,
  openControlSocket,
} from '../../src/platform/database/embedded/control-socket.ts';

const folder = mkdtempSync(join(tmpdir(), 'control-socket-'));
const opened: ReturnType<typeof open>[] = [];
after(async () => {
  for (const controlSocket of opened) await (await controlSocket)?.close();
  rmSync(folder, { recursive: true, force: true });
});

function socketIn(dataDir: string): string {
  const found = readdirSync(dataDir, { recursive: true, withFileTypes: true }).find((one) => one.isSocket());
  return join(found?.parentPath ?? '', found?.name ?? assert.fail('there is a socket'));
}

/** Whether the socket, or a folder above it, excludes other users. */
function isShut(path: string, dataDir: string): boolean {
  if (path === dataDir) return false;
  return (statSync(path).mode & 0o077) === 0 || isShut(dirname(path), dataDir);
}

const open = (dataDir: string) =>
  openControlSocket(
    dataDir,
    async (request, connection) => connection.send({ received: request }),
    (problem) => assert.fail(String(problem)),
  );

const ask = (dataDir: string) =>
  connectControlSocket(dataDir, { wish: 'anything' }, (connection) => connection.receive());

test('at no moment can other users connect, with any mode of the data folder and of old files in it', async () => {
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  chmodSync(dataDir, 0o777);
  for (const round of ['first', 'after one that was killed, with open folders']) {
    const opening = open(dataDir);
    opened.push(opening);
    // At this moment the socket already exists.
    assert.ok(isShut(socketIn(dataDir), dataDir), `at once: ${round}`);
    const controlSocket = (await opening) ?? assert.fail('this system has sockets');
    const path = socketIn(dataDir);
    assert.ok(isShut(path, dataDir), `later: ${round}`);
    assert.deepEqual(await ask(dataDir), { received: { wish: 'anything' } });
    await controlSocket.close();
    assert.equal(await ask(dataDir), null, 'no listener');
    if (dirname(path) !== dataDir) chmodSync(dirname(path), 0o777);
  }
});

test('a path that is too long for a socket has no control socket, and does not stop the start', async () => {
  const dataDir = join(folder, 'x'.repeat(110));
  mkdirSync(dataDir);
  assert.equal(await open(dataDir), null);
  assert.equal(await ask(dataDir), null);
});
