// node proof/machines/long-containers.ts [--kills 6] [--only embedded]... [--present image] [--older image] [--seed 1]
// Builds the image and runs it from each compose file: upgrades, kills containers and restores a backup under orders. Exit
// code 1 if a check fails, or there is no Docker.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import { createRandom } from '../../src/setup/demo-year/seeded-random.ts';
import { createPlace, type Kind, type Part, type Place, root } from './container-places.ts';
import { docker, dockerVersions, findBaseImages, nameRun, shell, whyNoDocker } from './docker-engine.ts';
import {
  type Attempt,
  compareBooks,
  emptyJournal,
  isRefusedForGood,
  type Journal,
  openShop,
  type Shop,
  startRetryingClients,
} from './kill-proof.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '6' },
    present: { type: 'string' },
    older: { type: 'string' },
    only: { type: 'string', multiple: true },
    seed: { type: 'string', default: '1' },
  },
});
const seed = Number(values.seed);
const random = createRandom(seed);
const clientCount = 8;
const customersPerAccount = 20;
/** Orders between two kills: at least these, and up to as many more. */
const ordersBetween = 40;
const stuckMilliseconds = 180_000;
const migrations = 'src/platform/database/schema/migrations';

interface Stream {
  readonly shop: Shop;
  readonly journal: Journal;
  placed(count: number): Promise<void>;
  finish(): Promise<void>;
}

const totals = { orders: 0, serviceKills: 0, databaseKills: 0, upgrades: 0, restores: 0, afterUnknown: 0 };
const reason = whyNoDocker();
if (reason === null) await proveAll();
else {
  process.stderr.write(`The proof of the containers needs Docker. ${reason}\n`);
  process.exitCode = 1;
}

async function proveAll(): Promise<void> {
  const run = nameRun(`sellthrough-proof-${randomBytes(3).toString('hex')}`);
  const folder = mkdtempSync(join(tmpdir(), `${run.name}-`));
  const images = findBaseImages();
  const began = performance.now();

  async function build(tag: string, checkout: string): Promise<string> {
    const image = `${run.name}:${tag}`;
    const file = join(folder, `Dockerfile.${tag}`);
    writeFileSync(file, await images.withImages(readFileSync(join(checkout, 'Dockerfile'), 'utf8')));
    await docker(['build', '--progress', 'plain', '--tag', image, '--file', file, checkout], {
      environment: { DOCKER_BUILDKIT: '1' },
    });
    return image;
  }

  let places = 0;
  const placeOf = (kind: Kind, secretsOf?: string) => {
    places += 1;
    const name = `${run.name}-${places}`;
    return createPlace({
      ...{ kind, name, folder: join(folder, name), images },
      ...(secretsOf === undefined ? {} : { secretsOf: join(folder, secretsOf) }),
    });
  };

  try {
    const present = values.present ?? (await build('present', root));
    say(`${values.present ?? 'built the image of this checkout'}; ${await dockerVersions()}`);
    const older = await buildOlder(folder, build);
    for (const kind of ['embedded', 'postgres', 'valkey'] as const) {
      if (values.only !== undefined && !values.only.includes(kind)) continue;
      const place = await placeOf(kind);
      const copy = await placeOf(kind, `${run.name}-${places}`);
      await prove({ kind, place, copy, present, older });
    }
    const { orders, serviceKills, databaseKills, upgrades, restores, afterUnknown } = totals;
    const tags = images.byTag();
    say(
      `${orders} orders acknowledged, ${afterUnknown} of them after an unknown outcome, over ${serviceKills} kills of the ` +
        `service, ${databaseKills} of PostgreSQL, ${upgrades} upgrades and ${restores} restores into new volumes: 0 lost, ` +
        `0 doubled, every ledger adds up; ${await dockerVersions()}` +
        `${tags.length === 0 ? '' : `, ${tags.join(' and ')} by tag, as their digests could not be pulled`}; ` +
        `seed ${seed}, ${Math.round((performance.now() - began) / 1_000)} s`,
    );
  } finally {
    await run.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Version {
  readonly image: string;
  readonly checkout: string;
  readonly title: string;
}

async function buildOlder(
  folder: string,
  build: (tag: string, checkout: string) => Promise<string>,
): Promise<Version> {
  if (values.older !== undefined) return { image: values.older, checkout: root, title: values.older };
  const newest = readdirSync(join(root, migrations)).sort().at(-1) ?? '';
  const at = { cwd: root };
  const added = await shell(`git log --format=%H --diff-filter=A -- '*/${newest}' | tail -1`, at);
  const commit = await shell(`git rev-parse --verify --quiet '${added}^'`, at).catch(() => {
    throw new Error(
      `The upgrade begins with the commit before ${newest} was added, which this clone does not hold: ` +
        'get the whole history (git fetch --unshallow), or name an older image with --older.',
    );
  });
  const checkout = join(folder, 'older');
  mkdirSync(checkout);
  await shell(`git archive ${commit} | tar --extract --directory '${checkout}'`, at);
  const title = await shell(`git log -1 --format='%h of %cs' ${commit}`, at);
  const image = await build('older', checkout);
  say(`built the image of ${title}, before ${newest}`);
  return { image, checkout, title };
}

interface Trial {
  readonly kind: Kind;
  readonly place: Place;
  readonly copy: Place;
  readonly present: string;
  readonly older: Version;
}

async function prove({ kind, place, copy, present, older }: Trial): Promise<void> {
  const parts: readonly Part[] = kind === 'embedded' ? ['service'] : ['service', 'database'];
  try {
    // The older version does not have compose.embedded.yaml and compose.valkey.yaml.
    await place.install(older.image, kind === 'postgres' ? older.checkout : root);
    await place.up();
    const adminKey = await place.adminKey();
    const stream = await startStream(place, adminKey);
    const first = await placeFirst(place, stream);
    await stream.placed(ordersBetween);

    await place.install(present);
    await place.up();
    totals.upgrades += 1;
    await place.doctor();
    await first.repeat(place.address);
    await stream.placed(ordersBetween);

    const before = await restartsOf(place, parts);
    const kills = Object.fromEntries(parts.map((part) => [part, 0]));
    for (let done = 0; done < Number(values.kills); done += 1) {
      await stream.placed(ordersBetween + random.below(ordersBetween));
      // Kills the parts in turn, and sometimes both at once.
      const chosen = done % 3 === 2 ? parts : [parts[done % parts.length] ?? 'service'];
      await Promise.all(chosen.map((part) => place.crash(part)));
      for (const part of chosen) kills[part] = (kills[part] ?? 0) + 1;
    }
    await stream.placed(ordersBetween);
    await stream.finish();
    const after = await restartsOf(place, parts);
    // There are more restarts if a start failed because the other part was not back yet.
    for (const [index, part] of parts.entries())
      assert.ok(
        (after[index] ?? 0) - (before[index] ?? 0) >= (kills[part] ?? 0),
        `${part} was started again`,
      );
    totals.serviceKills += kills['service'] ?? 0;
    totals.databaseKills += kills['database'] ?? 0;
    if (kind === 'valkey') await proveSharedLimits(place, adminKey);
    await first.repeat(place.address);
    await expectBooks(place, adminKey, stream.journal);

    const file = await place.backUp();
    await copy.install(present);
    await copy.restore(file);
    await copy.up();
    totals.restores += 1;
    await first.repeat(copy.address);
    await expectBooks(copy, adminKey, stream.journal);
    const added = await verified(copy);
    assert.equal(await place.stop(), 0, 'the service ends cleanly');
    for (const own of stream.journal.values()) totals.orders += own.length;
    say(
      `${kind}: upgraded from ${older.title}; ${parts.map((part) => `${kills[part]} kills of the ${part}`).join(', ')}; ` +
        `restored into new volumes: ${added}`,
    );
  } catch (error) {
    say(`${kind}: ${String(error)}\n${await place.log().catch(String)}`);
    throw error;
  } finally {
    await place.down();
    await copy.down();
  }
}

function restartsOf(place: Place, parts: readonly Part[]): Promise<number[]> {
  return Promise.all(parts.map((part) => place.restarts(part)));
}

async function startStream({ address }: Place, adminKey: string): Promise<Stream> {
  const shop = await openShop(address, adminKey);
  const journal = emptyJournal(shop);
  let total = 0;
  const looks = new Set<() => void>();
  const problems: string[] = [];
  const onAttempt = ({ key, answer }: Attempt) => {
    if (answer === null || answer.status === 503 || isRefusedForGood(answer)) return;
    if (answer.status !== 201) problems.push(`The order ${key} was answered ${answer.text}`);
    total += 1;
    for (const look of [...looks]) look();
  };
  const clients = startRetryingClients({
    ...{ shop, seed, journal, clientCount, customersPerAccount, onAttempt },
    retryMilliseconds: 100,
    restMilliseconds: 20,
    address: () => address,
  });
  return {
    shop,
    journal,
    placed(count) {
      const wanted = total + count;
      return new Promise((resolve, reject) => {
        const stuck = setTimeout(
          () => reject(new Error(`No ${count} orders in ${stuckMilliseconds} ms.`)),
          stuckMilliseconds,
        );
        const look = () => {
          if (total < wanted) return;
          clearTimeout(stuck);
          looks.delete(look);
          resolve();
        };
        looks.add(look);
        look();
      });
    },
    async finish() {
      await clients.finish();
      totals.afterUnknown += clients.ordersAfterUnknown();
      assert.deepEqual(problems, []);
    },
  };
}

async function placeFirst({ address }: Place, { shop, journal }: Stream) {
  const [account] = shop.accounts;
  assert.ok(account);
  const key = 'the-first-order';
  const body = { package_id: shop.packageIds[0], customer: 'ada@example.com', months: 1 };
  const send = (to: string) =>
    createApiClient(to, account.key).post('/orders', body, { 'idempotency-key': key });
  const placed = await send(address);
  assert.equal(placed.status, 201, placed.text);
  const { order, balance } = placed.body;
  journal.get(account.id)?.push({ key, orderId: order.id, balance });
  return {
    async repeat(to: string) {
      const again = await send(to);
      assert.equal(again.status, 201, again.text);
      assert.equal(again.headers.get('idempotent-replayed'), 'true');
      assert.deepEqual(again.body.order, order, 'the same answer again');
    },
  };
}

async function expectBooks({ address }: Place, adminKey: string, journal: Journal): Promise<void> {
  const { lost, doubled } = await compareBooks(address, adminKey, journal);
  assert.deepEqual(lost, [], 'every acknowledged order stands as it was shown');
  assert.deepEqual(doubled, [], 'no order stands that was not acknowledged');
  const { status, body, text } = await createApiClient(address, adminKey).get('/api/admin/v1/verify');
  assert.equal(status, 200, text);
  assert.deepEqual(body.problems, []);
}

async function verified(place: Place): Promise<string> {
  return (await place.verify()).split('\n').at(-1) ?? '';
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}

/** Both processes count an account's requests together, so together they admit its limit. */
async function proveSharedLimits(place: Place, adminKey: string): Promise<void> {
  const limit = 60;
  // The last kill's container may not be back yet.
  await place.up();
  assert.equal((await place.containersOf('service')).length, 2, 'two processes');
  const admin = createApiClient(place.address, adminKey);
  const made = await admin.post('/api/admin/v1/accounts', {
    username: 'limited',
    group: 'reseller',
    rate_limit_per_minute: limit,
  });
  assert.equal(made.status, 201, made.text);
  const client = createApiClient(place.address, made.body.api_key);
  const beganAt = performance.now();
  const statuses = await Promise.all(
    Array.from({ length: 3 * limit }, async () => (await client.get('/packages')).status),
  );
  // On a machine that took so long, the limit is free again after each minute.
  const windows = 1 + Math.floor((performance.now() - beganAt) / 60_000);
  const admitted = statuses.filter((status) => status === 200).length;
  assert.deepEqual([...new Set(statuses)].sort(), [200, 429]);
  assert.ok(
    admitted >= limit && admitted <= limit * windows,
    `both processes together admitted ${admitted} of ${limit} a minute`,
  );
  for (const container of await place.containersOf('service')) {
    const read =
      "fetch('http://127.0.0.1:3000/metrics').then(async (answer) => console.log(await answer.text()))";
    const metrics = await docker(['exec', container, 'node', '--eval', read]);
    assert.match(metrics, /^sellthrough_shared_limits_up 1$/m);
    assert.match(
      metrics,
      /^sellthrough_http_requests_total\{[^}]*packages[^}]*\} [1-9]/m,
      'each had its share',
    );
  }
}
