// node proof/machines/long-restarts.ts [--proxy haproxy|nginx|caddy]... [--rounds 20] [--kills 5] [--seed 1] [--file PATH]
// Runs rolling-restarts.ts behind each installed proxy. --file replaces the shipped proxy file. SIGINT ends after the round.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { proxyKinds } from '../../scripts/throwaway/front-proxy.ts';
import { startThrowawayPostgres } from '../../scripts/throwaway-postgres.ts';
import { createCertificateAuthority } from '../../test/harness/throwaway-certificates.ts';
import { type RestartsReport, runRollingRestarts } from './rolling-restarts.ts';

const { values } = parseArgs({
  options: {
    proxy: { type: 'string', multiple: true },
    rounds: { type: 'string', default: '20' },
    kills: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    file: { type: 'string' },
  },
});
const wanted = proxyKinds.filter((kind) => values.proxy?.includes(kind) ?? true);
const kinds = wanted.filter((kind) => spawnSync(kind, [kind === 'caddy' ? 'version' : '-v']).status === 0);
const missing = wanted.filter((kind) => !kinds.includes(kind));
if (missing.length > 0)
  process.stdout.write(
    `Not installed here, and left out: ${missing.join(', ')} (Debian has each of them).\n`,
  );

const folder = mkdtempSync(join(tmpdir(), 'sellthrough-restarts-'));
const authority = createCertificateAuthority();
const { cert, key } = authority.issue(['127.0.0.1', 'sell.example.com']);
for (const [name, text] of Object.entries({ certificate: cert, key, both: cert + key }))
  writeFileSync(join(folder, `${name}.pem`), text, { mode: 0o600 });

let isEnough = false;
process.on('SIGINT', () => {
  isEnough = true;
});

const rows: string[] = [];
const results: string[] = [];
let failed = 0;
try {
  for (const kind of kinds) {
    const postgres = await startThrowawayPostgres();
    try {
      const report = await runRollingRestarts({
        kind,
        certificates: folder,
        ca: authority.cert,
        databaseUrl: postgres.url,
        rounds: Number(values.rounds),
        killRounds: Number(values.kills),
        seed: Number(values.seed),
        ...(values.file === undefined ? {} : { file: values.file }),
        isEnough: () => isEnough,
        onRestart: (sentence) => process.stdout.write(`${kind}: ${sentence}\n`),
      });
      printReport(kind, report);
    } finally {
      await postgres.remove();
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(
  [
    '| Proxy | Restarts | Requests that failed | kill -9 | Reads and orders with a key that failed | Orders with a key that the proxy handed back | Orders without a key that failed | Orders acknowledged, each found once |',
    '|---|---|---|---|---|---|---|---|',
    ...rows,
    '',
    kinds.length === 0
      ? `No proxy is installed here: nothing was restarted.`
      : `${results.join('; ')}; seed ${values.seed}`,
    '',
  ].join('\n'),
);
process.exitCode = failed === 0 ? 0 : 1;

function printReport(kind: string, report: RestartsReport): void {
  const { restarts, kills, requests, ordersAcknowledged, problems } = report;
  const { failedByRestarts, failedByKills, handedBackByKills, unknownByKills } = report;
  failed += failedByRestarts.length + failedByKills.length + problems.length;
  for (const [during, failures] of Object.entries({
    failedByRestarts,
    failedByKills,
    handedBackByKills,
    unknownByKills,
  })) {
    const counted = Map.groupBy(failures, ({ wish, outcome }) => `${wish}: ${outcome}`);
    for (const [what, { length }] of counted)
      process.stdout.write(`${kind}: ${during}: ${length} × ${what}\n`);
  }
  for (const problem of problems.slice(0, 20)) process.stdout.write(`${kind}: ${problem}\n`);
  rows.push(
    `| ${kind} | ${restarts} | ${failedByRestarts.length} of ${requests} | ${kills} | ${failedByKills.length} | ${handedBackByKills.length} | ${unknownByKills.length} | ${ordersAcknowledged}${problems.length === 0 ? '' : `, but ${problems.length} problems`} |`,
  );
  const handedBack =
    handedBackByKills.length === 0
      ? ''
      : `, and ${handedBackByKills.length} orders with a key handed back by the proxy`;
  results.push(
    `${kind}: ${failedByRestarts.length} failed in ${restarts} restarts, ${failedByKills.length} that may be repeated in ${kills} kills${handedBack}, of ${requests}; ${ordersAcknowledged} orders acknowledged, ${problems.length} problems`,
  );
}
