// Outbound calls: which URLs are allowed, and the result no matter what the other side does. Servers are real.

import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createOutbound, type OutboundLimits } from '../../src/platform/outbound/outbound.ts';
import { defaultLimits } from '../../src/setup/config.ts';
import { programVersion } from '../../src/shared/version.ts';
import {
  plainAnswer,
  type RudeRequest,
  type RudeServer,
  type RudeServerOptions,
  startRudeServer,
} from '../harness/rude-server.ts';
import { createCertificateAuthority } from '../harness/throwaway-certificates.ts';

const refused = 'must not lead to a private or reserved address';
const notHttps = 'must be an https address, such as https://example.com/hook';
const badPort = 'must use port 443, or one from 1024 on';
const unknown = 'must name a host that can be found';
const withPassword = 'must not contain a name or a password';
const withFragment = 'must not contain a fragment (#)';
const tooLong = 'must not have more than 2048 characters';

const names: Readonly<Record<string, readonly string[]>> = {
  'hook.example': ['93.184.216.34'],
  'hook.example.': ['93.184.216.34'],
  'both.example': ['93.184.216.34', '2606:2800:220:1::1'],
  'inner.example': ['10.0.0.7'],
  'loop.example': ['127.0.0.1'],
  'mixed.example': ['93.184.216.34', '10.0.0.7'],
  'mixed6.example': ['93.184.216.34', '::ffff:169.254.169.254'],
  'late.example': [...new Array<string>(50).fill('93.184.216.34'), '127.0.0.1'],
  'metadata.example': ['fd00:ec2::254'],
  'nonsense.example': ['not an address'],
  'own.example': ['10.20.0.7'],
  'own-and-outer.example': ['10.20.0.7', '93.184.216.34'],
  'xn--bcher-kva.example': ['93.184.216.34'],
  localhost: ['127.0.0.1', '::1'],
  'localhost.': ['127.0.0.1', '::1'],
};
const resolve = async (name: string) => names[name] ?? [];

/** On a busy machine, calls one after another may be further apart than connections are kept. */
const patient = { ...defaultLimits.outbound, idleMilliseconds: 600_000, connectionMilliseconds: 600_000 };

describe('a URL may be saved, or a few words say why not', () => {
  const table: readonly (readonly [url: string, problem: string | null, withOwn?: string | null])[] = [
    ['https://hook.example', null],
    ['https://hook.example/a/b?c=d', null],
    ['HTTPS://HOOK.EXAMPLE/', null],
    ['https://hook.example:443/', null],
    ['https://hook.example:8443/', null],
    ['https://hook.example:1024/', null],
    ['https://hook.example:65535/', null],
    ['https://hook.example./', null],
    ['https://both.example/', null],
    ['https://93.184.216.34/', null],
    ['https://[2606:2800:220:1::1]/', null],
    ['https://bücher.example/', null],
    ['https://hook.example:1023/', badPort],
    ['https://hook.example:22/', badPort],
    ['https://hook.example:0/', badPort],
    ['https://hook.example:65536/', notHttps],
    ['http://hook.example/', notHttps],
    ['http://hook.example:8080/', notHttps],
    ['ftp://hook.example/', notHttps],
    ['file:///etc/passwd', notHttps],
    ['data:text/plain,x', notHttps],
    ['javascript:alert(1)', notHttps],
    ['//hook.example/', notHttps],
    ['hook.example', notHttps],
    ['', notHttps],
    ['https://', notHttps],
    ['https://hook example/', notHttps],
    ['https://user@hook.example/', withPassword],
    ['https://user:pass@hook.example/', withPassword],
    ['https://:pass@hook.example/', withPassword],
    ['https://hook.example@10.0.0.1/', withPassword],
    ['https://hook.example/#part', withFragment],
    ['https://hook.example/#', withFragment],
    [`https://hook.example/${'a'.repeat(2_048 - 21)}`, null],
    [`https://hook.example/${'a'.repeat(2_049 - 21)}`, tooLong],
    [`https://hook.example/${'a'.repeat(10_000)}`, tooLong],
    ['https://nowhere.example/', unknown],
    ['https://inner.example/', refused],
    ['https://loop.example/', refused],
    ['https://metadata.example/', refused],
    ['https://nonsense.example/', refused],
    ['https://mixed.example/', refused],
    ['https://mixed6.example/', refused],
    ['https://late.example/', refused],
    ['https://localhost/', refused],
    ['https://LOCALHOST./', refused],
    ['https://127.0.0.1/', refused],
    ['https://127.0.0.1./', refused],
    ['https://127.1/', refused],
    ['https://2130706433/', refused],
    ['https://0x7f.1/', refused],
    ['https://0x7f000001/', refused],
    ['https://0177.0.0.1/', refused],
    ['https://%31%32%37.0.0.1/', refused],
    ['https://１２７.０.０.１/', refused],
    ['https://127。0。0。1/', refused],
    ['https://①②⑦.0.0.1/', refused],
    ['https://0/', refused],
    ['https://0.0.0.0/', refused],
    ['https://[::]/', refused],
    ['https://[::1]/', refused],
    ['https://[::ffff:127.0.0.1]/', refused],
    ['https://[0:0:0:0:0:ffff:7f00:1]/', refused],
    ['https://[64:ff9b::7f00:1]/', refused],
    ['https://[fd00:ec2::254]/', refused],
    ['https://[fe80::1]/', refused],
    ['https://[fe80::1%25eth0]/', notHttps],
    ['https://169.254.169.254/latest/meta-data/', refused],
    ['https://10.20.0.7/', refused, null],
    ['https://own.example/', refused, null],
    ['https://own.example:22/', badPort, null],
    ['http://own.example/', notHttps, null],
    ['http://own.example:81/', notHttps, null],
    ['http://10.20.0.7:81/', notHttps, null],
    ['http://own-and-outer.example/', notHttps, notHttps],
    ['https://own-and-outer.example/', refused, null],
    ['https://own-and-outer.example:81/', badPort, badPort],
    ['http://10.21.0.7/', notHttps, refused],
  ];
  for (const [url, problem, withOwn = problem] of table) {
    const shown = url.length > 80 ? `${url.slice(0, 40)}… of ${url.length} characters` : url;
    test(`"${shown}" ${problem ?? 'may be saved'}`, async () => {
      const outbound = createOutbound({ allow: [], limits: defaultLimits.outbound, resolve });
      assert.equal(await outbound.problemOf(url), problem);
      await outbound.close();
    });
    test(`with 10.20.0.0/16 admitted "${shown}" ${withOwn ?? 'may be saved'}`, async () => {
      const allow = ['10.20.0.0/16'];
      const outbound = createOutbound({ allow, limits: defaultLimits.outbound, resolve });
      assert.equal(await outbound.problemOf(url), withOwn);
      await outbound.close();
    });
  }

  test('what may not be saved is not called either', async () => {
    const outbound = createOutbound({ allow: [], limits: defaultLimits.outbound, resolve });
    for (const [url, problem] of table) {
      if (problem === null) continue;
      const result = await outbound.send({ url, headers: {}, body: '' });
      assert.ok(result.type === 'failed', url);
      assert.equal(result.reason, problem === unknown ? 'name_not_found' : 'address_refused', url);
    }
    await outbound.close();
  });

  test('names that mean this machine need no name server', async () => {
    const outbound = createOutbound({ allow: [], limits: defaultLimits.outbound });
    for (const host of ['localhost', 'localhost.', 'service.localhost']) {
      assert.equal(await outbound.problemOf(`https://${host}/`), refused);
    }
    await outbound.close();
  });

  test('a name whose servers never answer cannot be found', async () => {
    const limits = { ...defaultLimits.outbound, callMilliseconds: 50 };
    const outbound = createOutbound({ allow: [], limits, resolve: () => new Promise(() => {}) });
    assert.equal(await outbound.problemOf('https://hook.example/'), unknown);
    await outbound.close();
  });
});

describe('the address that is connected to is the one that was checked', () => {
  test('a name that leads to another address at the next connection is refused there', async () => {
    const answers = [['127.0.0.1'], ['10.0.0.7']];
    let asked = 0;
    await withServer({ answer: closing }, async (server) => {
      const outbound = createOutbound({
        allow: ['127.0.0.1'],
        limits: defaultLimits.outbound,
        resolve: async () => answers[asked++] ?? [],
      });
      const request = requestTo(`http://hook.example:${server.port}/`);
      assert.equal(outcome(await outbound.send(request)), '200');
      assert.equal(outcome(await outbound.send(request)), 'address_refused');
      assert.equal(asked, 2);
      assert.equal(server.requests.length, 1);
      await outbound.close();
    });
  });

  test('a name is resolved once for each connection, and not for a call on one that was kept', async () => {
    let asked = 0;
    const answer = (request: RudeRequest) => (request.number === 3 ? closing(request) : plain(request));
    await withServer({ answer }, async (server) => {
      const outbound = createOutbound({
        allow: ['127.0.0.1'],
        limits: defaultLimits.outbound,
        resolve: async () => {
          asked += 1;
          return ['127.0.0.1'];
        },
      });
      for (let call = 1; call <= 5; call += 1) {
        assert.equal(outcome(await outbound.send(requestTo(`http://hook.example:${server.port}/`))), '200');
        assert.equal(asked, call <= 3 ? 1 : 2);
        assert.equal(server.connections(), asked);
      }
      await outbound.close();
    });
  });

  test('one bad address among good ones refuses the call, although a good one comes first', async () => {
    await withServer({}, async (server) => {
      const outbound = createOutbound({
        allow: ['127.0.0.1'],
        limits: defaultLimits.outbound,
        resolve: async () => ['127.0.0.1', '127.0.0.2'],
      });
      const result = await outbound.send(requestTo(`http://hook.example:${server.port}/`));
      assert.equal(outcome(result), 'address_refused');
      assert.equal(server.connections(), 0);
      await outbound.close();
    });
  });

  test('where the first address takes no connection the next one is tried', async () => {
    await withServer({ address: '127.0.0.3' }, async (server) => {
      const outbound = createOutbound({
        allow: ['127.0.0.0/8'],
        limits: defaultLimits.outbound,
        resolve: async () => ['127.0.0.2', '127.0.0.3'],
      });
      const result = await outbound.send(requestTo(`http://hook.example:${server.port}/`));
      assert.equal(outcome(result), '200');
      await outbound.close();
    });
  });

  test('an environment with a proxy in it changes nothing', async () => {
    await withServer({}, async (server) => {
      const before = process.env['HTTP_PROXY'];
      process.env['HTTP_PROXY'] = 'http://127.0.0.1:9';
      try {
        const outbound = createOutbound({ allow: ['127.0.0.1'], limits: defaultLimits.outbound });
        assert.equal(outcome(await outbound.send(requestTo(`http://127.0.0.1:${server.port}/`))), '200');
        await outbound.close();
      } finally {
        if (before === undefined) delete process.env['HTTP_PROXY'];
        else process.env['HTTP_PROXY'] = before;
      }
    });
  });
});

describe('what is sent', () => {
  test('is the request as given, in the name of the program', async () => {
    const body = '{"name":"Žluťoučký 🐴"}';
    await withServer({}, async (server) => {
      const outbound = createOutbound({ allow: ['127.0.0.1'], limits: defaultLimits.outbound, resolve });
      await outbound.send({
        url: `http://loop.example:${server.port}/a%20b/ü?q='1'|2`,
        headers: { 'content-type': 'application/json', 'webhook-id': 'msg_1' },
        body,
      });
      const [request] = server.requests;
      assert.deepEqual(
        request?.head.trim().split('\r\n').sort(),
        [
          'POST /a%20b/%C3%BC?q=%271%27|2 HTTP/1.1',
          `host: loop.example:${server.port}`,
          'connection: keep-alive',
          'content-type: application/json',
          'webhook-id: msg_1',
          `user-agent: Sellthrough/${programVersion}`,
          `content-length: ${Buffer.byteLength(body)}`,
        ].sort(),
      );
      assert.equal(request?.body, body);
      await outbound.close();
    });
  });
});

describe('what comes back', () => {
  const table: readonly (readonly [title: string, written: string, result: string])[] = [
    ['an answer', plainAnswer, '200 ok'],
    ['an answer without a body', 'HTTP/1.1 204 No Content\r\n\r\n', '204 '],
    ['an error', 'HTTP/1.1 500 Oops\r\ncontent-length: 3\r\n\r\noh!', '500 oh!'],
    ['gone', 'HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n', '410 '],
    [
      'a redirect, which is not followed',
      'HTTP/1.1 302 Found\r\nlocation: http://10.0.0.1/\r\ncontent-length: 0\r\n\r\n',
      '302 ',
    ],
    [
      'an answer in pieces',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
      '200 ok',
    ],
    [
      'an interim answer and then the real one',
      `HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${plainAnswer}`,
      '200 ok',
    ],
    ['bytes that no text has', 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\na\0b\xff', '200 a\uFFFDb\uFFFD'],
    ['an answer that is longer than it says', `${plainAnswer} and so on`, '200 ok'],
    ['two answers to one request', plainAnswer + plainAnswer, '200 ok'],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'malformed_answer'],
    ['an answer of another protocol', '\x15\x03\x03\x00\x02\x02\x46', 'malformed_answer'],
    ['a status that is no number', 'HTTP/1.1 abc OK\r\n\r\n', 'malformed_answer'],
    ['a header without a name', 'HTTP/1.1 200 OK\r\n: x\r\n\r\n', 'malformed_answer'],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok',
      'malformed_answer',
    ],
    ['a length that is no number', 'HTTP/1.1 200 OK\r\ncontent-length: two\r\n\r\nok', 'malformed_answer'],
    ['a length below nothing', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\nok', 'malformed_answer'],
    [
      'a length and pieces',
      'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
      'malformed_answer',
    ],
    ['pieces of no size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n', 'malformed_answer'],
    [
      'another protocol that no one asked for',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      'malformed_answer',
    ],
    ['an expectation that no one had', 'HTTP/1.1 100 Continue\r\n\r\n', 'malformed_answer'],
    ['a huge header', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(1_000_000)}`, 'malformed_answer'],
    ['many headers', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(100_000)}`, 'malformed_answer'],
  ];
  for (const [title, written, result] of table) {
    test(`${title}: ${result}`, async () => {
      await withServer({ answer: ({ socket }) => void socket.write(written, 'latin1') }, async (server) => {
        assert.equal(await called(server), result);
      });
    });
  }

  const endings: readonly (readonly [
    title: string,
    answer: (request: RudeRequest) => void,
    result: string,
  ])[] = [
    ['a connection that closes', ({ socket }) => socket.end(), 'connection_lost'],
    ['a connection that breaks', ({ socket }) => socket.resetAndDestroy(), 'connection_lost'],
    ['half a status', ({ socket }) => socket.end('HTTP/1.1 20'), 'connection_lost'],
    ['half of the headers', ({ socket }) => socket.end('HTTP/1.1 200 OK\r\ncontent-'), 'connection_lost'],
    [
      'an answer that is shorter than it says',
      ({ socket }) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nok'),
      'connection_lost',
    ],
    [
      'a last answer that is shorter than it says',
      ({ socket }) => socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 10\r\n\r\nok'),
      'malformed_answer',
    ],
    [
      'an answer whose last piece is missing',
      ({ socket }) =>
        socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n'),
      'connection_lost',
    ],
    [
      'an answer of no length, which ends with the connection',
      ({ socket }) => socket.end('HTTP/1.1 200 OK\r\n\r\nok'),
      '200 ok',
    ],
  ];
  for (const [title, answer, result] of endings) {
    test(`${title}: ${result}`, async () => {
      await withServer({ answer }, async (server) => {
        assert.equal(await called(server), result);
      });
    });
  }

  test('a port where no one listens: connection_refused', async () => {
    const server = await startRudeServer();
    await server.close();
    assert.equal(await called(server), 'connection_refused');
  });

  test('of a long answer the first KiB is kept, and whole characters', async () => {
    const text = 'ö'.repeat(5_000);
    const written = `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(text) + 1}\r\n\r\nx${text}`;
    await withServer({ answer: ({ socket }) => void socket.write(written) }, async (server) => {
      assert.equal(await called(server), `200 x${'ö'.repeat(511)}`);
    });
  });

  test('an answer without an end is read to its limit, its status counts and its connection is dropped', async () => {
    const chunk = Buffer.alloc(65_536, 'x');
    let bytes = 0;
    const answer = ({ socket }: RudeRequest) => {
      socket.write('HTTP/1.1 202 Accepted\r\n\r\n');
      pour(socket, () => {
        bytes += chunk.length;
        return chunk;
      });
    };
    await withServer({ answer }, async (server) => {
      assert.equal(await called(server), `202 ${'x'.repeat(1_024)}`);
      // A gigabyte or more was offered, and the kernel's buffers hold a part of it.
      assert.ok(bytes < 64 * 1_048_576, `${bytes} bytes`);
    });
  });
});

describe('the limit is one of the whole call', () => {
  const limits = { callMilliseconds: 150 };
  const never = () => {};
  const table: readonly (readonly [title: string, options: RudeServerOptions])[] = [
    ['no answer', { answer: never }],
    [
      'headers that never end',
      { answer: ({ socket }) => trickle(socket, 'HTTP/1.1 200 OK\r\n', 'x: y\r\n') },
    ],
    [
      'interim answers that never end',
      { answer: ({ socket }) => trickle(socket, '', 'HTTP/1.1 103 Early Hints\r\n\r\n') },
    ],
    [
      'a body that trickles',
      { answer: ({ socket }) => trickle(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 60000\r\n\r\n', 'x') },
    ],
    [
      'a body that never begins',
      { answer: ({ socket }) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n') },
    ],
  ];
  for (const [title, options] of table) {
    test(`${title}: timeout`, async () => {
      await withServer(options, async (server) => assert.equal(await called(server, limits), 'timeout'));
    });
  }

  test('a TLS handshake that never ends: timeout', async () => {
    await withServer({ answer: never }, async (server) => {
      assert.equal(await called(server, limits, `https://loop.example:${server.port}/`), 'timeout');
    });
  });

  test('a name whose servers never answer: timeout', async () => {
    const outbound = createOutbound({
      allow: [],
      limits: { ...defaultLimits.outbound, ...limits },
      resolve: () => new Promise(() => {}),
    });
    assert.equal(outcome(await outbound.send(requestTo('https://hook.example/'))), 'timeout');
    await outbound.close();
  });

  test('a turn that does not come: timeout, and the place in line is given up', async () => {
    // The first call may release its turn just before the second call's time is over.
    let isOver = false;
    await withServer({ answer: (request) => (isOver ? plain(request) : undefined) }, async (server) => {
      const outbound = createOutbound({
        allow: ['127.0.0.1'],
        limits: { ...defaultLimits.outbound, ...limits, callsOfOriginMax: 1 },
      });
      const request = requestTo(`http://127.0.0.1:${server.port}/`);
      const results = await Promise.all([outbound.send(request), outbound.send(request)]);
      assert.deepEqual(results.map(outcome), ['timeout', 'timeout']);
      isOver = true;
      assert.equal(outcome(await outbound.send(request)), '200');
      await outbound.close();
    });
  });
});

describe('TLS', () => {
  const authority = createCertificateAuthority();
  const outsider = createCertificateAuthority();
  const usual = getCACertificates('default');
  // Like NODE_EXTRA_CA_CERTS.
  before(() => setDefaultCACertificates([...usual, authority.cert]));
  after(() => setDefaultCACertificates(usual));

  const good = authority.issue(['loop.example']);
  const table: readonly (readonly [
    title: string,
    host: string,
    options: RudeServerOptions,
    result: string,
  ])[] = [
    ['a certificate of the name', 'loop.example', { tls: good }, '200 ok'],
    ['a certificate of the name with a dot at its end', 'loop.example.', { tls: good }, '200 ok'],
    ['a certificate of the address', '127.0.0.1', { tls: authority.issue(['127.0.0.1']) }, '200 ok'],
    ['a certificate of another name', 'loop.example', { tls: authority.issue(['other.example']) }, 'tls'],
    ['a certificate of the name, where an address was called', '127.0.0.1', { tls: good }, 'tls'],
    ['an expired certificate', 'loop.example', { tls: authority.issue(['loop.example'], 'expired') }, 'tls'],
    [
      'a certificate by an unknown authority',
      'loop.example',
      { tls: outsider.issue(['loop.example']) },
      'tls',
    ],
    ['a certificate by no one else', 'loop.example', { tls: outsider }, 'tls'],
    ['no TLS', 'loop.example', { greet: (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n') }, 'tls'],
    [
      'TLS of another age',
      'loop.example',
      { tls: { ...good, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' } },
      'tls',
    ],
    [
      'a wish for a certificate of ours',
      'loop.example',
      { tls: { ...good, requestCert: true, rejectUnauthorized: true, ca: [authority.cert] } },
      'tls',
    ],
    [
      'a connection that closes in the handshake',
      'loop.example',
      { greet: (socket) => socket.end() },
      'connection_lost',
    ],
    [
      'a connection that breaks in the handshake',
      'loop.example',
      { greet: (socket) => socket.resetAndDestroy() },
      'connection_lost',
    ],
  ];
  for (const [title, host, options, result] of table) {
    test(`${title}: ${result}`, async () => {
      await withServer(options, async (server) => {
        assert.equal(await called(server, {}, `https://${host}:${server.port}/`), result);
      });
    });
  }

  test('no environment variable makes a bad certificate good', async () => {
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      await withServer({ tls: outsider.issue(['loop.example']) }, async (server) => {
        assert.equal(await called(server, {}, `https://loop.example:${server.port}/`), 'tls');
      });
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
  });

  test('an encrypted connection is kept, too', async () => {
    await withServer({ tls: good }, async (server) => {
      const outbound = createOutbound({ allow: ['127.0.0.1'], limits: patient, resolve });
      const request = requestTo(`https://loop.example:${server.port}/`);
      for (let call = 1; call <= 5; call += 1) assert.equal(outcome(await outbound.send(request)), '200');
      assert.equal(server.connections(), 1);
      await outbound.close();
    });
  });
});

describe('connections are kept, but not too many and not forever', () => {
  test('calls one after another share a connection, calls at once have one each', async () => {
    await withServer({}, async (server) => {
      const outbound = createOutbound({ allow: ['127.0.0.1'], limits: patient });
      const request = requestTo(`http://127.0.0.1:${server.port}/`);
      for (let call = 1; call <= 10; call += 1) assert.equal(outcome(await outbound.send(request)), '200');
      assert.equal(server.connections(), 1);
      const results = await Promise.all(Array.from({ length: 10 }, () => outbound.send(request)));
      assert.deepEqual(results.map(outcome), new Array(10).fill('200'));
      assert.equal(server.connections(), 10);
      await outbound.close();
    });
  });

  test('no origin is called more often at once than the limit says, and every call has its turn', async () => {
    let held: RudeRequest[] = [];
    // Answers only when there are three requests, so a fourth connection would show.
    const answer = (request: RudeRequest) => {
      held.push(request);
      if (held.length < 3) return;
      for (const each of held) plain(each);
      held = [];
    };
    await withServer({ answer }, async (server) => {
      const limits = { ...patient, callsOfOriginMax: 3 };
      const outbound = createOutbound({ allow: ['127.0.0.1'], limits });
      const request = requestTo(`http://127.0.0.1:${server.port}/`);
      const results = await Promise.all(Array.from({ length: 51 }, () => outbound.send(request)));
      assert.deepEqual(results.map(outcome), new Array(51).fill('200'));
      assert.equal(server.connections(), 3);
      await outbound.close();
    });
  });

  test('calls of tests that hang take no turn from real calls to the same origin', async () => {
    const answer = (request: RudeRequest) => (request.head.includes('/tests') ? undefined : plain(request));
    await withServer({ answer }, async (server) => {
      const limits = { ...patient, callsOfOriginMax: 2 };
      const outbound = createOutbound({ allow: ['127.0.0.1'], limits });
      const { url, ...request } = requestTo(`http://127.0.0.1:${server.port}/`);
      const hanging = [1, 2, 3].map(() => outbound.send({ ...request, url: `${url}tests`, isTest: true }));
      while (server.requests.length < 2) await new Promise((resolve) => setImmediate(resolve));
      assert.equal(outcome(await outbound.send({ ...request, url })), '200');
      assert.equal(server.requests.length, 3, 'and of tests only so many are under way');
      await outbound.close();
      assert.deepEqual((await Promise.all(hanging)).map(outcome), new Array(3).fill('connection_lost'));
    });
  });

  test('of more idle connections than the limit says those are closed that waited longest', async () => {
    await withServer({}, async (first) => {
      await withServer({}, async (second) => {
        const limits = { ...patient, idleConnectionsMax: 1 };
        const outbound = createOutbound({ allow: ['127.0.0.1'], limits });
        for (const { port } of [first, second, second]) {
          assert.equal(outcome(await outbound.send(requestTo(`http://127.0.0.1:${port}/`))), '200');
        }
        await first.allGone();
        assert.equal(second.connections(), 1);
        await outbound.close();
      });
    });
  });

  test('a connection that is old takes no further call', async () => {
    await withServer({}, async (server) => {
      const limits = { ...patient, connectionMilliseconds: 0 };
      const outbound = createOutbound({ allow: ['127.0.0.1'], limits });
      for (let call = 1; call <= 3; call += 1) {
        assert.equal(outcome(await outbound.send(requestTo(`http://127.0.0.1:${server.port}/`))), '200');
        await server.allGone();
      }
      assert.equal(server.connections(), 3);
      await outbound.close();
    });
  });

  test('an idle connection is closed after its time', async () => {
    await withServer({}, async (server) => {
      const limits = { ...patient, idleMilliseconds: 20 };
      const outbound = createOutbound({ allow: ['127.0.0.1'], limits });
      assert.equal(outcome(await outbound.send(requestTo(`http://127.0.0.1:${server.port}/`))), '200');
      await server.allGone();
      await outbound.close();
    });
  });

  test('a kept connection that turns out to be closed costs nothing: the request goes out on a new one', async () => {
    const answer = (request: RudeRequest) =>
      request.number === 2 ? void request.socket.destroy() : plain(request);
    await withServer({ answer }, async (server) => {
      const outbound = createOutbound({ allow: ['127.0.0.1'], limits: patient });
      const request = requestTo(`http://127.0.0.1:${server.port}/`);
      assert.equal(outcome(await outbound.send(request)), '200');
      assert.equal(outcome(await outbound.send(request)), '200');
      assert.equal(server.requests.length, 3);
      await outbound.close();
    });
  });

  test('a server that closes every connection is asked twice at most', async () => {
    const answer = (request: RudeRequest) =>
      request.number === 1 ? plain(request) : void request.socket.destroy();
    await withServer({ answer }, async (server) => {
      const outbound = createOutbound({ allow: ['127.0.0.1'], limits: patient });
      const request = requestTo(`http://127.0.0.1:${server.port}/`);
      assert.equal(outcome(await outbound.send(request)), '200');
      assert.equal(outcome(await outbound.send(request)), 'connection_lost');
      assert.equal(server.requests.length, 3);
      assert.equal(outcome(await outbound.send(request)), 'connection_lost');
      assert.equal(server.requests.length, 4);
      await outbound.close();
    });
  });

  test('a kept connection is not used for another call after a bad answer', async () => {
    const answer = ({ socket, number }: RudeRequest) =>
      void socket.write(number === 1 ? `${plainAnswer}HTTP/1.1 500 Smuggled\r\n\r\n` : plainAnswer);
    await withServer({ answer }, async (server) => {
      const outbound = createOutbound({ allow: ['127.0.0.1'], limits: patient });
      const request = requestTo(`http://127.0.0.1:${server.port}/`);
      assert.equal(outcome(await outbound.send(request)), '200');
      assert.equal(outcome(await outbound.send(request)), '200');
      assert.equal(server.connections(), 2);
      await outbound.close();
    });
  });
});

describe('closing', () => {
  test('ends what is under way, wherever it waits, and takes nothing new', async () => {
    await withServer({ answer: () => {} }, async (server) => {
      const outbound = createOutbound({
        allow: ['127.0.0.1'],
        limits: { ...defaultLimits.outbound, callsOfOriginMax: 1 },
        resolve: () => new Promise(() => {}),
      });
      const here = requestTo(`http://127.0.0.1:${server.port}/`);
      const underWay = [here, here, requestTo('https://hook.example/')].map((each) => outbound.send(each));
      await outbound.close();
      assert.deepEqual((await Promise.all(underWay)).map(outcome), new Array(3).fill('connection_lost'));
      assert.equal(outcome(await outbound.send(here)), 'connection_lost');
      await outbound.close();
    });
  });

  test('after five hundred calls of every kind no socket and no timer is left', async () => {
    const before = await resourcesLeft();
    const treatments: readonly ((request: RudeRequest) => void)[] = [
      plain,
      closing,
      ({ socket }) => void socket.resetAndDestroy(),
      ({ socket }) => void socket.write('garbage\r\n\r\n'),
      ({ socket }) =>
        void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx', () => socket.destroy()),
      ({ socket }) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        pour(socket, () => Buffer.alloc(65_536));
      },
    ];
    const answer = (request: RudeRequest) => treatments[request.number % treatments.length]?.(request);
    await withServer({ answer }, async (server) => {
      const outbound = createOutbound({
        allow: ['127.0.0.1'],
        // On a busy machine, the last calls wait long for their turn.
        limits: { ...defaultLimits.outbound, callsOfOriginMax: 20, callMilliseconds: 120_000 },
      });
      const request = requestTo(`http://127.0.0.1:${server.port}/`);
      const results = await Promise.all(Array.from({ length: 500 }, () => outbound.send(request)));
      const seen = new Set(results.map(outcome));
      assert.deepEqual([...seen].sort(), ['200', 'connection_lost', 'malformed_answer']);
      await outbound.close();
      await server.allGone();
    });
    assert.deepEqual(await resourcesLeft(), before);
  });
});

async function withServer(
  options: RudeServerOptions,
  work: (server: RudeServer) => Promise<void>,
): Promise<void> {
  const server = await startRudeServer(options);
  try {
    await work(server);
  } finally {
    await server.close();
  }
}

async function called(
  server: RudeServer,
  limits: Partial<OutboundLimits> = {},
  url = `http://loop.example:${server.port}/`,
): Promise<string> {
  const outbound = createOutbound({
    allow: ['127.0.0.1'],
    limits: { ...defaultLimits.outbound, ...limits },
    resolve: async (name) => resolve(name.replace(/\.$/, '')),
  });
  const result = await outbound.send(requestTo(url));
  if (result.type === 'failed') await server.allGone();
  await outbound.close();
  assert.ok(result.milliseconds >= 0 && Number.isInteger(result.milliseconds));
  return result.type === 'failed' ? result.reason : `${result.status} ${result.answer}`;
}

function requestTo(url: string) {
  return { url, headers: { 'content-type': 'application/json' }, body: '{"type":"order.completed"}' };
}

function outcome(result: Awaited<ReturnType<ReturnType<typeof createOutbound>['send']>>): string {
  return result.type === 'failed' ? result.reason : String(result.status);
}

function plain({ socket }: RudeRequest): void {
  socket.write(plainAnswer);
}

function closing({ socket }: RudeRequest): void {
  socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok');
}

function pour(socket: Socket, chunk: () => Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(chunk())) {}
  };
  socket.on('drain', more);
  more();
}

function trickle(socket: Socket, first: string, then: string): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(then), 5);
  socket.once('close', () => clearInterval(timer));
}

async function resourcesLeft(): Promise<readonly string[]> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  return process
    .getActiveResourcesInfo()
    .filter((kind) => /TCP|TLS|Timeout|GetAddrInfo/.test(kind))
    .sort();
}
