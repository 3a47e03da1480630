// The example dashboard and the monitoring page name only metrics and labels that exist.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { type LimitStandIn, startLimitStandIn } from '../harness/limit-stand-in.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const dashboard: { panels: readonly Panel[]; templating: { list: readonly { query: string }[] } } =
  JSON.parse(read('deploy/grafana/sellthrough.json'));
const queries = [
  ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...dashboard.templating.list.map(({ query }) => query),
];

let standIn: LimitStandIn;
let service: TestService;
/** The names under which Prometheus stores them. A histogram has three. */
let known: ReadonlySet<string>;
let lines: readonly string[];

before(async () => {
  standIn = await startLimitStandIn();
  service = await startTestService({ environment: { VALKEY_URL: standIn.url } });
  const reseller = await service.createReseller({ credit: '100.00' });
  const order = { package_id: service.packages.basic, customer: 'ada', idempotency_key: 'once' };
  for (const sent of [order, order, { ...order, package_id: 0, idempotency_key: 'refused' }])
    await reseller.post('/orders', sent);
  // The first look runs due jobs, and the second sees their results.
  for (const _ of ['runs', 'sees']) {
    await service.service.jobs.look();
    await service.service.jobs.idle();
  }
  lines = (await (await fetch(`${service.address}/metrics`)).text()).split('\n');
  known = new Set(lines.flatMap((line) => /^([a-z0-9_]+)(?:\{| )/.exec(line)?.[1] ?? []));
});
after(async () => {
  await service.close();
  await standIn.close();
});

function metricsIn(text: string): string[] {
  return [...new Set(text.match(/\b(?:sellthrough|nodejs|process)_[a-z0-9_]*[a-z0-9]/g) ?? [])];
}

test('every metric of the dashboard exists, and every panel asks for one', () => {
  for (const { title, targets } of dashboard.panels) {
    for (const { expr } of targets ?? []) assert.ok(metricsIn(expr).length > 0, `${title}: ${expr}`);
  }
  assert.ok(queries.length > 20);
  const unknown = queries.flatMap(metricsIn).filter((name) => !known.has(name));
  assert.deepEqual(unknown, []);
});

test('labels that the queries group by or choose from are those of the metric', () => {
  const own = ['job', 'instance', 'le'];
  for (const query of queries) {
    const labels = [...query.matchAll(/by \(([a-z, ]+)\)|[{,]([a-z]+)=/g)].flatMap(([, grouped, chosen]) =>
      (grouped ?? chosen ?? '').split(', '),
    );
    const metrics = metricsIn(query);
    for (const label of labels.filter((name) => !own.includes(name))) {
      const has = metrics.some((metric) =>
        lines.some((line) => line.startsWith(`${metric}{`) && line.includes(`${label}="`)),
      );
      assert.ok(has, `${label} is a label in: ${query}`);
    }
  }
});

test('the route that the dashboard calls orders is the one that orders are counted under', () => {
  const route = /route="([^"]+)"/.exec(queries.join('\n'))?.[1];
  const counted = lines.some(
    (line) =>
      line.startsWith('sellthrough_http_requests_total{') &&
      line.includes(`route="${route}"`) &&
      line.includes('method="POST"') &&
      line.includes('status="201"'),
  );
  assert.ok(counted, route);
});

test('docs/monitoring.md and metrics.md name metrics that exist, and metrics.md lists every metric of the service', () => {
  const page = read('docs/metrics.md');
  const families = lines.flatMap((line) => /^# TYPE (\S+)/.exec(line)?.[1] ?? []);
  const unknown = metricsIn(page + read('docs/monitoring.md')).filter(
    (name) => !families.includes(name) && !families.includes(name.replace(/_bucket$/, '')),
  );
  assert.deepEqual(unknown, []);
  for (const family of families.filter((name) => name.startsWith('sellthrough_')))
    assert.ok(page.includes(`| \`${family}\` |`), `${family} stands in the table`);
});
