// `npm run test:proxies -- [--only nginx|haproxy|caddy] [file]...`: runs the contract's tests through nginx, HAProxy and
// Caddy with deploy/proxies/ over TLS, and the proxies' own tests (test/proxies/). Not part of `npm test`, because it needs
// the three programs; if one is missing, it says how to install it and fails.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { TestFact } from './count-reporter.ts';
import { proxyKinds } from './throwaway/front-proxy.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Tests of promises to clients that a proxy could break. It leaves out the process (logs, metrics, query plans), malformed
 * bytes that a proxy answers itself (hostile-requests, corpora) and forged X-Forwarded-For (behind-a-proxy).
 */
const contract = [
  'road',
  'endpoints',
  'authentication',
  'idempotency',
  'order-checks',
  'renewals',
  'refunds',
  'lists-and-ids',
  'rate-limit-exact',
  'request-limits',
  'hostile-values',
  'login-links',
  'login-to-product',
  'admin-accounts',
  'admin-records',
  'admin-refusals',
  'sdk',
].map((name) => `test/service/${name}.test.ts`);

const { values, positionals } = parseArgs({
  options: { only: { type: 'string', multiple: true } },
  allowPositionals: true,
});
const kinds = proxyKinds.filter((kind) => values.only?.includes(kind) ?? true);
const missing = [...kinds, 'openssl'].filter((program) => {
  const version = program === 'nginx' || program === 'haproxy' ? ['-v'] : ['version'];
  return spawnSync(program, version).status !== 0;
});
if (missing.length > 0) {
  console.error(
    `Not installed here: ${missing.join(', ')}. On Debian: apt-get install --no-install-recommends nginx-light haproxy caddy openssl; then stop the services, the tests start their own.`,
  );
  process.exit(2);
}

const files = [...contract, ...globSync('test/proxies/*.test.ts', { cwd: root }).sort()].filter(
  (file) => positionals.length === 0 || positionals.some((part) => file.includes(part)),
);
// Without a file, Node would run every test that it finds.
if (files.length === 0) {
  console.error(`No test that runs through proxies is called ${positionals.join(' or ')}.`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'sellthrough-proxies-'));
let failed = 0;
try {
  makeCertificate(folder);
  for (const kind of kinds) failed += await runThrough(kind);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed > 0 ? 1 : 0;

async function runThrough(kind: string): Promise<number> {
  const factsFile = join(folder, `${kind}.jsonl`);
  const flags = ['--test', '--test-concurrency=2', '--test-timeout=300000'];
  const reporters = [
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=./scripts/count-reporter.ts',
    `--test-reporter-destination=${factsFile}`,
  ];
  console.log(`\n▶ through ${kind}`);
  const child = spawn(process.execPath, [...flags, ...reporters, ...files], {
    cwd: root,
    env: {
      TEST_DATABASE: 'embedded',
      ...process.env,
      TEST_PROXY: kind,
      TEST_PROXY_CERTIFICATES: folder,
      NODE_EXTRA_CA_CERTS: join(folder, 'certificate.pem'),
    },
    stdio: 'inherit',
  });
  const [code] = await once(child, 'close');
  const facts = readFileSync(factsFile, { encoding: 'utf8', flag: 'a+' })
    .split('\n')
    .filter((line) => line !== '')
    .map((line): TestFact => JSON.parse(line));
  const count = (wanted: TestFact['fact']) => facts.filter(({ fact }) => fact === wanted).length;
  const passed = count('passed');
  const broken = Math.max(count('failed'), code === 0 ? 0 : 1);
  const skipped = count('skipped') > 0 ? `, ${count('skipped')} skipped` : '';
  console.log(`${broken > 0 ? '✖' : '✔'} through ${kind}: ${passed} passed, ${broken} failed${skipped}`);
  return broken + (passed === 0 ? 1 : 0);
}

/** Makes a certificate for 127.0.0.1, valid for a day. HAProxy needs chain and key in one file. */
function makeCertificate(into: string): void {
  const names = 'subjectAltName=IP:127.0.0.1,DNS:sell.example.com';
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const args = ['req', '-x509', ...curve, '-days', '1', '-subj', '/CN=sell.example.com', '-addext', names];
  const paths = ['-keyout', join(into, 'key.pem'), '-out', join(into, 'certificate.pem')];
  const { status, stderr } = spawnSync('openssl', [...args, ...paths], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl made no certificate: ${stderr}`);
  const read = (name: string) => readFileSync(join(into, name), 'utf8');
  writeFileSync(join(into, 'both.pem'), read('certificate.pem') + read('key.pem'), { mode: 0o600 });
}
