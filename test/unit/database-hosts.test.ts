// Parses DATABASE_URL with several hosts and chooses one by their states.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type DatabaseHost,
  hostText,
  readHostList,
} from '../../src/platform/database/postgres/database-hosts.ts';
import { createPrimaryFinder, type HostAnswer } from '../../src/platform/database/postgres/primary-finder.ts';

describe('a list of hosts', () => {
  const read: readonly (readonly [string, string, string])[] = [
    ['postgres://u:p@a:5433,b:5434/shop', 'a:5433 b:5434', 'postgres://u:p@a:5433/shop'],
    ['postgresql://u:p@a,b/shop', 'a:5432 b:5432', 'postgresql://u:p@a/shop'],
    ['postgres://u:p@a,b:1/shop?sslmode=disable', 'a:5432 b:1', 'postgres://u:p@a/shop?sslmode=disable'],
    ['postgres://a,b', 'a:5432 b:5432', 'postgres://a'],
    [
      'postgres://u:p%40%2C@[::1]:5433,[fe80::2]/s',
      '[::1]:5433 [fe80::2]:5432',
      'postgres://u:p%40%2C@[::1]:5433/s',
    ],
    ['postgres://u@%2Frun%2Fa,b/s', '/run/a:5432 b:5432', 'postgres://u@%2Frun%2Fa/s'],
    [
      'postgres://a/s?target_session_attrs=read-write',
      'a:5432',
      'postgres://a/s?target_session_attrs=read-write',
    ],
    [
      'postgres://a,b/s?target_session_attrs=primary',
      'a:5432 b:5432',
      'postgres://a/s?target_session_attrs=primary',
    ],
  ];
  for (const [url, hosts, single] of read)
    test(`${url} is read`, () => {
      const list = readHostList(url);
      assert.deepEqual([list?.hosts.map(hostText).join(' '), list?.connectionString], [hosts, single]);
    });

  for (const url of [
    'postgres://u:p@a:5432/s',
    'postgres://u:p,q@a/s',
    'postgres://[::1]/s',
    'postgres:///s?host=/run',
    'postgres://a/s?target_session_attrs=any',
  ])
    test(`${url} is one host, and left as it is`, () => assert.equal(readHostList(url), null));

  for (const url of [
    'mysql://a,b/s',
    'a,b',
    'postgres://a,,b/s',
    'postgres://a,b:0/s',
    'postgres://a:x,b/s',
    'postgres://a,b:70000/s',
    'postgres://u:secret@a,::1/s',
    'postgres://u:secret,x/y@a,b/s',
    'postgres://u:secret?,x@a,b/s',
    'postgres://u:x,secret#y@a/s',
    'postgres://u:secret/x@a/s?target_session_attrs=primary',
    'postgres://a,%/s',
    'postgres://a,b/s?target_session_attrs=any',
    'postgres://a,b/s?target_session_attrs=standby',
  ])
    test(`${url} is refused, without its password`, () =>
      assert.throws(
        () => readHostList(url),
        ({ message }: Error) => /^m/.test(message) && !message.includes('secret'),
      ));
});

/** "7/2": primary of cluster 7, timeline 2. "7/-": its standby. "ro" or "empty" may follow. "silent": hangs. */
function answerOf(text: string): Promise<HostAnswer> {
  if (text === 'dead') return Promise.reject(new Error('connection refused'));
  if (text === 'silent') return new Promise(() => undefined);
  const [systemIdentifier = '', timeline, extra] = text.split('/');
  return Promise.resolve({
    systemIdentifier,
    timeline: timeline === '-' ? null : Number(timeline),
    isReadOnly: extra === 'ro',
    isEmpty: extra === 'empty',
  });
}

function scene(first: readonly string[]) {
  let says = first;
  const hosts: DatabaseHost[] = first.map((_, index) => ({ host: String.fromCharCode(97 + index), port: 1 }));
  const asked: string[] = [];
  const moved: number[] = [];
  const finder = createPrimaryFinder({
    hosts,
    ask(host) {
      asked.push(host.host);
      return answerOf(says[hosts.indexOf(host)] ?? '');
    },
    patienceMilliseconds: 1,
    retryMilliseconds: 0,
    lookMilliseconds: 3_600_000,
    onMoved: (timeline) => moved.push(timeline),
  });
  const find = () =>
    finder.find().then(
      ({ host }) => host,
      (error: Error) => error.message,
    );
  return {
    finder,
    hosts,
    asked,
    moved,
    find,
    async become(next: readonly string[]) {
      says = next;
      finder.doubt(null);
      return find();
    },
  };
}

describe('of several hosts', () => {
  const firsts: readonly (readonly [string, readonly string[], string | RegExp])[] = [
    ['the one that takes writes is found', ['7/-', '7/1'], 'b'],
    ['a dead one is passed over', ['dead', '7/1'], 'b'],
    ['a read-only one is passed over', ['7/1/ro', '7/1'], 'b'],
    ['a former primary is passed over, though it takes writes', ['7/1', '7/2'], 'b'],
    [
      'one of another cluster stops the start',
      ['dead', '7/-', '8/1'],
      /different clusters.*b:1 \(7\), c:1 \(8\)/,
    ],
    ['a standby of another cluster stops it too', ['7/1', '8/-'], /different clusters/],
    ['an empty database is begun when all answer', ['7/1/empty', '7/-/empty'], 'a'],
    [
      'an empty database is not begun while one is dead',
      ['7/1/empty', 'dead'],
      /empty, and not every host.*b:1 \(connection refused\)/,
    ],
    [
      'none takes writes: each is named with its reason',
      ['dead', '7/-', '7/2/ro'],
      /a:1 \(connection refused\), b:1 \(a standby\), c:1 \(read-only\)/,
    ],
  ];
  for (const [title, says, expected] of firsts)
    test(title, async () => {
      const { find, finder } = scene(says);
      const found = await find();
      if (typeof expected === 'string') assert.equal(found, expected);
      else assert.match(found, expected);
      finder.close();
    });

  const laters: readonly (readonly [string, readonly string[], string | RegExp])[] = [
    ['a standby that was promoted is found', ['dead', '7/2'], 'b'],
    ['a silent one costs the others no more than a moment', ['silent', '7/2'], 'b'],
    [
      'another cluster in its place is not written to',
      ['8/9', '7/-'],
      /a:1 \(of another cluster: its system identifier is 8, not 7\)/,
    ],
    ['one that has it already stays', ['7/1', '7/1'], 'a'],
    ['a blank database of another cluster is not written to', ['9/1/empty', 'dead'], /another cluster/],
  ];
  for (const [title, says, expected] of laters)
    test(`later ${title}`, async () => {
      const { find, become, finder } = scene(['7/1', '7/-']);
      assert.equal(await find(), 'a');
      const found = await become(says);
      if (typeof expected === 'string') assert.equal(found, expected);
      else assert.match(found, expected);
      finder.close();
    });

  test('a former primary that comes back is not written to, and its sessions are reported', async () => {
    const { find, become, moved, finder, hosts } = scene(['7/1', '7/-']);
    await find();
    assert.equal(await become(['dead', '7/2']), 'b');
    assert.match(
      await become(['7/1', 'dead']),
      /a:1 \(a former primary: its timeline is 1, and 2 has begun\)/,
    );
    assert.deepEqual(moved, [1, 2]);
    const [a] = hosts;
    assert.ok(a);
    const former = await answerOf('7/1');
    assert.throws(() => finder.accept(a, former), /a:1 is not used for writes: a former primary/);
    finder.close();
  });

  test('hosts are asked once, and again only when there is doubt', async () => {
    const { find, asked, finder } = scene(['7/2', '7/-']);
    await Promise.all([find(), find()]);
    await find();
    assert.deepEqual(asked, ['a', 'b']);
    finder.doubt(1);
    await find();
    assert.deepEqual(asked, ['a', 'b'], 'what a former primary lost says nothing');
    finder.doubt(2);
    await Promise.all([find(), find()]);
    assert.deepEqual(asked, ['a', 'b', 'a', 'b']);
    finder.close();
  });
});
