// nginx or HAProxy in front of a test's service, with the very files of deploy/proxies/: only ports, paths
// and the certificate are replaced. `npm run test:proxies` sets TEST_PROXY and the certificate.
// Clients come from 127.0.0.1, the proxy from 127.0.0.2: the service can tell them apart.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type ProxyKind = 'nginx' | 'haproxy';

export interface FrontProxy {
  readonly address: string;
  /** The port that speaks without TLS. */
  readonly plainAddress: string;
  close(): Promise<void>;
}

/** Where the proxy's own connections to the service come from: what TRUST_PROXY names. */
export const proxySource = '127.0.0.2';

const proxiesFolder = fileURLToPath(new URL('../../deploy/proxies/', import.meta.url));

/** What `npm run test:proxies` wants in front of every service; null in every other run. */
export function wantedProxy(): ProxyKind | null {
  const kind = process.env['TEST_PROXY'];
  if (kind === undefined) return null;
  if (kind === 'nginx' || kind === 'haproxy') return kind;
  throw new Error(`TEST_PROXY must be nginx or haproxy, not "${kind}".`);
}

/** nginx refuses to read a path with %00, or one that does not decode: the service never sees it. */
export function reachesService(path: string): boolean {
  return wantedProxy() !== 'nginx' || !/%00|%(?![0-9a-f]{2})/i.test(path);
}

/** In front of one process of the service, or of several. */
export async function startFrontProxy(
  kind: ProxyKind,
  ...serviceAddresses: readonly string[]
): Promise<FrontProxy> {
  const folder = mkdtempSync(join(tmpdir(), `sellthrough-${kind}-`));
  const services = serviceAddresses.map((address) => new URL(address).host);
  const certificates = process.env['TEST_PROXY_CERTIFICATES'];
  if (certificates === undefined) throw new Error('TEST_PROXY needs TEST_PROXY_CERTIFICATES.');
  const [securePort, plainPort] = await freePorts();
  const places = { services, certificates, securePort, plainPort };
  const [program, args] = kind === 'nginx' ? nginxCommand(folder, places) : haproxyCommand(folder, places);
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const stop = () => child.kill('SIGTERM');
  process.once('exit', stop); // a test that ends without closing must not leave it behind
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-10_000);
    });
  }
  await listening(securePort, child, () => output);
  return {
    address: `https://127.0.0.1:${securePort}`,
    plainAddress: `http://127.0.0.1:${plainPort}`,
    async close() {
      process.off('exit', stop);
      if (child.exitCode === null) {
        stop();
        await once(child, 'close');
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Places {
  readonly services: readonly string[];
  readonly certificates: string;
  readonly securePort: number;
  readonly plainPort: number;
}

function nginxCommand(folder: string, places: Places): [string, string[]] {
  const site = replaced(readFileSync(join(proxiesFolder, 'nginx.conf'), 'utf8'), [
    ['server 127.0.0.1:3000;', places.services.map((service) => `server ${service};`).join('\n')],
    ['listen 80;', `listen 127.0.0.1:${places.plainPort};`],
    ['listen 443 ssl http2;', `listen 127.0.0.1:${places.securePort} ssl http2;`],
    ['/etc/ssl/sell.example.com/fullchain.pem', `${places.certificates}/certificate.pem`],
    ['/etc/ssl/sell.example.com/privkey.pem', `${places.certificates}/key.pem`],
  ]);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  writeFileSync(join(folder, 'site.conf'), site);
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  proxy_bind ${proxySource};
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  include site.conf;
}
`,
  );
  return ['nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')]];
}

const haproxyServer = 'server sellthrough 127.0.0.1:3000 check inter 2s pool-purge-delay 30s';

function haproxyCommand(folder: string, places: Places): [string, string[]] {
  const servers = places.services.map((service, index) =>
    haproxyServer
      .replace('sellthrough', `sellthrough${index}`)
      .replace('127.0.0.1:3000', `${service} source ${proxySource}`),
  );
  const configuration = replaced(readFileSync(join(proxiesFolder, 'haproxy.cfg'), 'utf8'), [
    [haproxyServer, servers.join('\n    ')],
    ['bind :80\n', `bind 127.0.0.1:${places.plainPort}\n`],
    ['bind :443 ssl', `bind 127.0.0.1:${places.securePort} ssl`],
    ['/etc/haproxy/sell.example.com.pem', `${places.certificates}/both.pem`],
  ]);
  writeFileSync(join(folder, 'haproxy.cfg'), configuration);
  return ['haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')]];
}

/** Each text must be there: a file that was changed must not be tested with its old half. */
function replaced(text: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((current, [from, to]) => {
    if (!current.includes(from)) throw new Error(`The proxy's file has no "${from}".`);
    return current.replaceAll(from, to);
  }, text);
}

async function freePorts(): Promise<[number, number]> {
  const servers = await Promise.all(
    [0, 1].map(async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const [first = 0, second = 0] = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return [first, second];
}

async function listening(port: number, child: ChildProcess, output: () => string): Promise<void> {
  const ended = once(child, 'exit').then(() => true);
  for (;;) {
    if (await Promise.race([answers(port), ended.then(() => false)])) return;
    if (child.exitCode !== null) throw new Error(`The proxy did not start:\n${output()}`);
    await new Promise(setImmediate);
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
