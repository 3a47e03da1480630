// Puts nginx, HAProxy or Caddy in front of a test's service, with the files of deploy/proxies/. Set by TEST_PROXY (`npm run
// test:proxies`) or by proof/machines. Clients connect from 127.0.0.1, nginx and HAProxy from 127.0.0.2, so that the service
// can distinguish them.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';

export const proxyKinds = ['nginx', 'haproxy', 'caddy'] as const;
export type ProxyKind = (typeof proxyKinds)[number];

export interface FrontProxy {
  readonly address: string;
  readonly plainAddress: string;
  close(): Promise<void>;
}

/** The proxy's own address when it connects to the service, for TRUST_PROXY. Caddy 2.6 cannot choose it. */
export const proxySource = process.env['TEST_PROXY'] === 'caddy' ? '127.0.0.1' : '127.0.0.2';

const proxiesFolder = fileURLToPath(new URL('../../deploy/proxies/', import.meta.url));

export function wantedProxy(): ProxyKind | null {
  const kind = process.env['TEST_PROXY'];
  if (kind === undefined) return null;
  const known = proxyKinds.find((one) => one === kind);
  if (known !== undefined) return known;
  throw new Error(`TEST_PROXY must be one of ${proxyKinds.join(', ')}, not "${kind}".`);
}

/** nginx answers paths with %00 or invalid encoding itself, Caddy those with invalid encoding. */
export function reachesService(path: string): boolean {
  if (wantedProxy() === 'nginx') return !/%00|%(?![0-9a-f]{2})/i.test(path);
  return wantedProxy() !== 'caddy' || !/%(?![0-9a-f]{2})/i.test(path);
}

export function startFrontProxy(
  kind: ProxyKind,
  ...serviceAddresses: readonly string[]
): Promise<FrontProxy> {
  const certificates = process.env['TEST_PROXY_CERTIFICATES'];
  if (certificates === undefined) throw new Error('TEST_PROXY needs TEST_PROXY_CERTIFICATES.');
  return startProxy({ kind, serviceAddresses, certificates });
}

export interface ProxyWish {
  readonly kind: ProxyKind;
  readonly serviceAddresses: readonly string[];
  readonly certificates: string;
  readonly file?: string;
}

export async function startProxy({
  kind,
  serviceAddresses,
  certificates,
  file = join(proxiesFolder, fileNames[kind]),
}: ProxyWish): Promise<FrontProxy> {
  const folder = mkdtempSync(join(tmpdir(), `sellthrough-${kind}-`));
  const services = serviceAddresses.map((address) => new URL(address).host);
  const securePort = await freePort();
  const plainPort = await freePort();
  const text = withServices(readFileSync(file, 'utf8'), services);
  const [program, args] = commands[kind](folder, { text, certificates, securePort, plainPort });
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const stop = () => child.kill('SIGTERM');
  process.once('exit', stop); // Stops the proxy even if a test ends without closing it.
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
  readonly text: string;
  readonly certificates: string;
  readonly securePort: number;
  readonly plainPort: number;
}

const fileNames: Readonly<Record<ProxyKind, string>> = {
  nginx: 'nginx.conf',
  haproxy: 'haproxy.cfg',
  caddy: 'Caddyfile',
};

const commands: Readonly<Record<ProxyKind, (folder: string, places: Places) => [string, string[]]>> = {
  nginx: nginxCommand,
  haproxy: haproxyCommand,
  caddy: caddyCommand,
};

/** The file names three processes on ports from 3000. The used ones get real addresses, the others are removed. */
function withServices(text: string, services: readonly string[]): string {
  return [0, 1, 2].reduce((current, place) => {
    const named = `127.0.0.1:${3000 + place}`;
    const service = services[place];
    if (service !== undefined) return replaced(current, [[named, service]]);
    return current.replaceAll(new RegExp(`^ *server .*${named}.*\n| ${named}`, 'gm'), '');
  }, text);
}

function nginxCommand(
  folder: string,
  { text, certificates, securePort, plainPort }: Places,
): [string, string[]] {
  const site = replaced(text, [
    ['listen 80;', `listen 127.0.0.1:${plainPort};`],
    ['listen 443 ssl http2;', `listen 127.0.0.1:${securePort} ssl http2;`],
    ['/etc/ssl/sell.example.com/fullchain.pem', `${certificates}/certificate.pem`],
    ['/etc/ssl/sell.example.com/privkey.pem', `${certificates}/key.pem`],
  ]);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  writeFileSync(join(folder, 'site.conf'), site);
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 2;
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

function haproxyCommand(
  folder: string,
  { text, certificates, securePort, plainPort }: Places,
): [string, string[]] {
  const configuration = replaced(text, [
    ['option httpchk GET /readyz', `option httpchk GET /readyz\n    source ${proxySource}`],
    ['bind :80\n', `bind 127.0.0.1:${plainPort}\n`],
    ['bind :443 ssl', `bind 127.0.0.1:${securePort} ssl`],
    ['/etc/haproxy/sell.example.com.pem', `${certificates}/both.pem`],
  ]);
  writeFileSync(join(folder, 'haproxy.cfg'), configuration);
  return ['haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')]];
}

function caddyCommand(
  folder: string,
  { text, certificates, securePort, plainPort }: Places,
): [string, string[]] {
  const own = `{
	admin off
	auto_https disable_redirects
	skip_install_trust
	storage file_system ${folder}
}
`;
  const site = replaced(text, [
    [
      '\nsell.example.com {',
      `\nhttps://:${securePort} {\n\tbind 127.0.0.1\n\ttls ${certificates}/certificate.pem ${certificates}/key.pem`,
    ],
    ['http://sell.example.com {', `http://:${plainPort} {\n\tbind 127.0.0.1`],
  ]);
  writeFileSync(join(folder, 'Caddyfile'), own + site);
  return ['caddy', ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')]];
}

/** Throws if a text is missing: otherwise a changed file would be tested with its old settings. */
function replaced(text: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((current, [from, to]) => {
    if (!current.includes(from)) throw new Error(`The proxy's file has no "${from}".`);
    return current.replaceAll(from, to);
  }, text);
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
