// The house rules: which file may import which, where SQL and the framework may appear, and file names (docs/development.md,
// "Where things go"). The second half breaks each on purpose. Scans by pattern, so computed paths are not seen.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, posix } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

type Sources = Readonly<Record<string, string>>;

interface Import {
  readonly to: string;
}

/** Features from the top down, with the lower ones that each imports. New imports need a reason here. */
const features: Readonly<Record<string, readonly string[]>> = {
  overview: [
    ...[
      'customer-portal',
      'customers',
      'fulfillment',
      'identity',
      'ledger',
      'order-engine',
      'orders',
      'packages',
    ],
    ...['plans', 'request-log', 'webhooks'],
    // The health page lists the newest verifications.
    'verification',
  ],
  // Reads out what the other features keep.
  'data-export': [
    ...[
      'audit',
      'auth',
      'customer-portal',
      'customers',
      'events',
      'fulfillment',
      'identity',
      'keys',
      'ledger',
    ],
    ...['order-engine', 'orders', 'packages', 'payments', 'people', 'plans', 'request-log', 'webhooks'],
  ],
  // A restored database starts over: its events and product calls skip numbers that the lost one may have used, and it
  // charges no card for a day.
  backup: ['events', 'order-engine', 'payments'],
  audit: ['auth', 'customers', 'identity', 'packages'],
  // What was erased is taken out of what other features keep.
  erasure: [
    'customers',
    'events',
    'fulfillment',
    'identity',
    'order-engine',
    'packages',
    'request-log',
    'webhooks',
  ],
  // Keys, sign-ins, alerts, automatic top-ups and webhooks end with their account.
  closing: ['alerts', 'auth', 'identity', 'order-engine', 'orders', 'payments', 'webhooks'],
  verification: ['identity', 'order-engine', 'packages'],
  keys: ['accounts', 'auth', 'events', 'identity', 'request-log', 'test-mode'],
  'request-log': ['customers', 'identity', 'orders'],
  // Opening a mailed link also confirms the address for alerts.
  people: ['accounts', 'alerts', 'auth', 'identity'],
  accounts: ['auth', 'business', 'events', 'identity'],
  'test-mode': ['events', 'identity', 'ledger', 'order-engine', 'orders', 'webhooks'],
  alerts: ['brand', 'business', 'events', 'identity'],
  webhooks: ['events', 'identity'],
  'customer-portal': ['brand', 'customers', 'identity', 'order-engine', 'packages'],
  fulfillment: ['events', 'identity', 'order-engine', 'orders', 'packages'],
  payments: ['brand', 'events', 'identity', 'ledger', 'order-engine', 'orders'],
  business: ['identity', 'packages'],
  plans: ['customers', 'identity', 'order-engine', 'orders', 'packages'],
  orders: ['customers', 'events', 'identity', 'ledger', 'order-engine', 'packages'],
  customers: ['events', 'identity', 'order-engine', 'packages'],
  ledger: ['brand', 'identity', 'order-engine', 'packages'],
  'order-engine': ['events', 'identity', 'packages'],
  packages: ['events', 'identity'],
  auth: ['brand', 'identity'],
  retention: ['identity'],
  brand: ['identity'],
  events: ['identity'],
  identity: [],
};

// From the top down. A file may import from its own level and from those below.
const places: readonly string[] = [
  'src/sellthrough.ts',
  'src/command-line.ts',
  'src/main.ts',
  'src/service',
  'src/cli/doctor',
  'src/cli',
  'src/setup',
  ...Object.keys(features).flatMap((feature) =>
    ['', ...(feature === 'order-engine' ? ['/decisions', '/records'] : [])].map(
      (folder) => `src/features/${feature}${folder}`,
    ),
  ),
  ...['http', 'mail', 'secrets', 'audit-log', 'jobs', 'outbound', 'limits', 'text'].map(
    (folder) => `src/platform/${folder}`,
  ),
  ...['/schema', '/embedded', '/postgres', '/shards', ''].map((folder) => `src/platform/database${folder}`),
  'src/stand-in-stripe',
  'src/shared',
];

const placesOfPages: readonly string[] = [
  'web/src/main.tsx',
  'web/src/entry.tsx',
  'web/src/start-entry.tsx',
  'web/src/start.tsx',
  'web/src/router.tsx',
  'web/src/shell',
  ...[
    'accounts',
    'overview',
    'business',
    'customers',
    'orders',
    'plans',
    'webhooks',
    'auth',
    'request-log',
    'audit',
  ].map((feature) => `web/src/features/${feature}`),
  ...[
    'alerts',
    'events',
    'fulfillment',
    'keys',
    'ledger',
    'packages',
    'payments',
    'people',
    'retention',
    'test-mode',
  ].map((feature) => `web/src/features/${feature}`),
  'web/src/features/brand',
  'web/src/ui',
  'web/src/text',
  'web/src/api',
  'web/src/styles.css',
];

/** Where the framework appears besides `*-routes.ts`, platform/http, service and main.ts. This list must only shrink. */
const frameworkElsewhere: readonly string[] = [
  'src/features/auth/api-key-auth.ts',
  'src/features/auth/begin-session.ts',
  'src/features/auth/reauthentication.ts',
  'src/features/auth/session-auth.ts',
  'src/features/brand/brand-pages.ts',
  'src/features/brand/document-language.ts',
  'src/features/brand/plain-pages.ts',
  'src/features/identity/account-lists.ts',
  'src/features/identity/authenticator.ts',
  'src/features/orders/submit-commands.ts',
  'src/features/request-log/note-requests.ts',
  'src/platform/limits/per-account-concurrency.ts',
  'src/platform/limits/rate-limiter.ts',
  'src/platform/limits/token-lookup-limit.ts',
];

/** More files that stand between requests and features, so they must not contain SQL. */
const alsoWithoutSql: readonly string[] = [
  'src/features/audit/audit-targets.ts',
  'src/features/brand/page-layout.ts',
  'src/features/fulfillment/product-payload.ts',
  'src/features/order-engine/submit-for-account.ts',
  'src/features/orders/bulk-order.ts',
  'src/features/orders/order-command.ts',
  'src/features/orders/order-event-data.ts',
  'src/features/request-log/request-links.ts',
  'src/service/app.ts',
];

const clientEntry = 'sdk/src/index.ts';

const emptyNames = ['utils', 'helpers', 'service', 'manager', 'index'];

describe('the house rules hold', () => {
  const sources = readSources();

  test('every file of src and of the pages imports only what its place allows', () => {
    assert.ok(Object.keys(sources).some((path) => path.startsWith('src/')));
    assert.ok(Object.keys(sources).some((path) => path.startsWith('web/src/')));
    assert.deepEqual(importProblems(sources), []);
  });

  test('an exception that is not needed any more is taken out of its list', () => {
    assert.deepEqual(staleExceptions(sources), []);
  });

  test('the features that a feature imports stand below it', () => {
    const order = Object.keys(features);
    for (const [feature, below] of Object.entries(features))
      for (const each of below)
        assert.ok(order.indexOf(each) > order.indexOf(feature), `${feature}: ${each}`);
  });

  test('the imports of folders form no circle', () => {
    assert.deepEqual(circles(sources, posix.dirname), []);
  });

  test('the imports of files form no circle, those of types neither', () => {
    const programs = Object.entries(sources).filter(([path]) => /^(?:(?:web|sdk)\/)?src\//.test(path));
    assert.deepEqual(
      circles(Object.fromEntries(programs), (path) => path),
      [],
    );
  });

  test('every file name says by itself what the file is', () => {
    assert.deepEqual(nameProblems(sources), []);
  });

  test('no file has both SQL and what answers requests', () => {
    assert.deepEqual(sqlProblems(sources), []);
  });

  test('nothing is left to be done later', () => {
    assert.deepEqual(leftoverProblems(sources), []);
  });

  test('no function falls back on live or test mode where its caller names none', () => {
    assert.deepEqual(modeProblems(sources), []);
  });

  test('nothing but the platform asks whether shards are on several servers', () => {
    assert.deepEqual(shardProblems(sources), []);
  });
});

describe('a broken house rule is reported', () => {
  const broken: readonly (readonly [title: string, path: string, text: string, reported: RegExp])[] = [
    [
      'shared imports a feature',
      'src/shared/amounts.ts',
      "import { a } from '../features/order-engine/order-engine.ts';",
      /may not import src\/features\/order-engine/,
    ],
    [
      'shared imports the database',
      'src/shared/amounts.ts',
      "import { a } from '../platform/database/database.ts';",
      /may not import src\/platform\/database/,
    ],
    [
      'the database imports a feature',
      'src/platform/database/postgres/postgres.ts',
      "import { a } from '../../../features/identity/api-key.ts';",
      /may not import src\/features\/identity/,
    ],
    [
      'the database imports a driver',
      'src/platform/database/table.ts',
      "import { a } from './postgres/postgres.ts';",
      /may not import src\/platform\/database\/postgres/,
    ],
    [
      'the stand-in for Stripe imports the platform',
      'src/stand-in-stripe/stripe-api.ts',
      "import { a } from '../platform/http/metrics.ts';",
      /may not import src\/platform\/http/,
    ],
    [
      'the plumbing of http imports a feature',
      'src/platform/http/metrics.ts',
      "import { a } from '../../features/orders/order-view.ts';",
      /may not import src\/features\/orders/,
    ],
    [
      'a feature imports one above it',
      'src/features/ledger/find-entries.ts',
      "import { a } from '../orders/order-view.ts';",
      /may not import src\/features\/orders/,
    ],
    [
      'a feature imports a type of one above it',
      'src/features/ledger/find-entries.ts',
      "import type { A } from '../orders/order-view.ts';",
      /may not import src\/features\/orders/,
    ],
    [
      'a feature imports one above it over several lines',
      'src/features/ledger/find-entries.ts',
      "import {\n  a,\n  b,\n} from '../orders/order-view.ts';",
      /may not import src\/features\/orders/,
    ],
    [
      'a feature exports from one above it',
      'src/features/ledger/find-entries.ts',
      "export * from '../orders/order-view.ts';",
      /may not import src\/features\/orders/,
    ],
    [
      'a feature imports one above it for its effects',
      'src/features/ledger/find-entries.ts',
      "import '../orders/order-view.ts';",
      /may not import src\/features\/orders/,
    ],
    [
      'a feature imports one above it while it runs',
      'src/features/ledger/find-entries.ts',
      "const a = await import('../orders/order-view.ts');",
      /may not import src\/features\/orders/,
    ],
    [
      'a feature requires one above it',
      'src/features/ledger/find-entries.ts',
      "const a = require('../orders/order-view.ts');",
      /may not import src\/features\/orders/,
    ],
    [
      'a feature starts a worker of one above it',
      'src/features/ledger/find-entries.ts',
      "new Worker(new URL('../orders/order-view.ts', import.meta.url));",
      /may not import src\/features\/orders/,
    ],
    [
      'a feature imports one below it that is not among its own',
      'src/features/webhooks/deliverer.ts',
      "import { a } from '../ledger/find-entries.ts';",
      /is not among the features that webhooks imports/,
    ],
    [
      'records import decisions',
      'src/features/order-engine/records/plan-life.ts',
      "import { a } from '../decisions/decide-orders.ts';",
      /may not import src\/features\/order-engine\/decisions/,
    ],
    [
      'decisions import the batch',
      'src/features/order-engine/decisions/decide-orders.ts',
      "import { a } from '../order-batch.ts';",
      /may not import src\/features\/order-engine\/order-batch/,
    ],
    [
      'a feature imports the service',
      'src/features/auth/session-store.ts',
      "import { a } from '../../service/app.ts';",
      /may not import src\/service/,
    ],
    [
      'the service imports main',
      'src/service/app.ts',
      "import { a } from '../main.ts';",
      /may not import src\/main/,
    ],
    [
      'the service imports the command line',
      'src/service/app.ts',
      "import { a } from '../cli/verify-command.ts';",
      /may not import src\/cli/,
    ],
    [
      'the command line imports the service',
      'src/cli/verify-command.ts',
      "import { a } from '../service/app.ts';",
      /may not import src\/service/,
    ],
    [
      'a feature imports the command line',
      'src/features/audit/audit-admin-routes.ts',
      "import { a } from '../../cli/verify-command.ts';",
      /may not import src\/cli/,
    ],
    [
      'a feature reads the configuration',
      'src/features/order-engine/order-engine.ts',
      "import { config } from '../../setup/config.ts';",
      /may not import src\/setup\/config/,
    ],
    [
      'the plumbing reads a type of the configuration',
      'src/platform/limits/rate-limiter.ts',
      "import type { Config } from '../../setup/config.ts';",
      /may not import src\/setup\/config/,
    ],
    [
      'a page imports one above it',
      'web/src/features/ledger/entry-list.tsx',
      "import { a } from '../orders/order-list.tsx';",
      /may not import web\/src\/features\/orders/,
    ],
    [
      'a part of pages imports a page',
      'web/src/ui/button.tsx',
      "import { a } from '../features/ledger/entry-list.tsx';",
      /may not import web\/src\/features\/ledger/,
    ],
    [
      'a page loads one above it while it runs',
      'web/src/ui/button.tsx',
      "const a = lazy(() => import('../features/ledger/entry-list.tsx'));",
      /may not import web\/src\/features\/ledger/,
    ],
    [
      'the engine imports the framework',
      'src/features/order-engine/order-engine.ts',
      "import Fastify from 'fastify';",
      /framework/,
    ],
    [
      'the engine imports a type of the framework',
      'src/features/order-engine/order-engine.ts',
      "import type { FastifyInstance } from 'fastify';",
      /framework/,
    ],
    [
      'the engine imports a plugin of the framework',
      'src/features/order-engine/order-engine.ts',
      "import swagger from '@fastify/swagger';",
      /framework/,
    ],
    [
      'the engine has routes',
      'src/features/order-engine/engine-routes.ts',
      "import type { FastifyInstance } from 'fastify';",
      /framework/,
    ],
    [
      'the engine imports the plumbing of http',
      'src/features/order-engine/order-batch.ts',
      "import { a } from '../../platform/http/error-responses.ts';",
      /may not import src\/platform\/http/,
    ],
    [
      'a store imports the framework',
      'src/features/accounts/account-store.ts',
      "import Fastify from 'fastify';",
      /framework/,
    ],
    [
      'shared imports the framework',
      'src/shared/schema-parts.ts',
      "import { Type } from '@fastify/type-provider-typebox';",
      /framework/,
    ],
    [
      'the command line imports the framework',
      'src/cli/verify-command.ts',
      "import Fastify from 'fastify';",
      /framework/,
    ],
    [
      'a schema imports what makes an answer',
      'src/features/orders/order-schemas.ts',
      "import { a } from './order-view.ts';",
      /schemas import schemas/,
    ],
    [
      'a feature imports routes of another',
      'src/features/plans/plan-routes.ts',
      "import { a } from '../orders/order-routes.ts';",
      /routes are imported by the service/,
    ],
    ['a folder no one knows', 'src/misc/thing.ts', '', /no known place/],
    ['a feature no one knows', 'src/features/misc/thing.ts', '', /no known place/],
    ['a stray file among the features', 'src/features/thing.ts', '', /no known place/],
    ['a stray file in src', 'src/start.ts', '', /no known place/],
    ['a folder of pages no one knows', 'web/src/misc/thing.tsx', '', /no known place/],
    [
      'the program imports a test',
      'src/features/order-engine/order-engine.ts',
      "import { a } from '../../../proof/oracle/oracle.ts';",
      /outside src/,
    ],
    [
      'a feature imports the client',
      'src/features/order-engine/order-engine.ts',
      "import { a } from '../../../sdk/src/index.ts';",
      /outside src/,
    ],
    [
      'the oracle shares the program’s code',
      'proof/oracle/oracle.ts',
      "import { a } from '../../src/features/order-engine/decisions/decide-orders.ts';",
      /oracle/,
    ],
    [
      'a script imports a test',
      'scripts/generate.ts',
      "import { a } from '../test/harness/shop.ts';",
      /a script may not import test/,
    ],
  ];
  for (const [title, path, text, reported] of broken) {
    test(title, () => {
      const problems = importProblems({ [path]: text });
      assert.equal(problems.length, 1, problems.join('\n'));
      assert.match(problems[0] ?? '', reported);
      assert.ok(problems[0]?.startsWith(`${path}: `));
    });
  }

  test('folders that import each other in a circle', () => {
    const problems = circles(
      {
        'src/features/plans/a.ts': "import '../orders/b.ts';",
        'src/features/orders/b.ts': "import type { C } from '../ledger/c.ts';",
        'src/features/ledger/c.ts': "import '../plans/a.ts';\nimport '../../shared/times.ts';",
        'src/shared/times.ts': '',
      },
      posix.dirname,
    );
    assert.equal(problems.length, 1);
    assert.match(
      problems[0] ?? '',
      /src\/features\/plans → src\/features\/orders → src\/features\/ledger → src\/features\/plans/,
    );
    assert.match(problems[0] ?? '', /src\/features\/ledger\/c\.ts imports src\/features\/plans\/a\.ts/);
  });

  test('files of a folder that import each other in a circle, one of them a type', () => {
    const problems = circles(
      {
        'src/features/plans/a.ts': "import { b } from './b.ts';",
        'src/features/plans/b.ts': "import type { A } from './a.ts';\nimport { c } from './c.ts';",
        'src/features/plans/c.ts': '',
      },
      (path) => path,
    );
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? '', /a\.ts → src\/features\/plans\/b\.ts → src\/features\/plans\/a\.ts/);
  });

  for (const name of emptyNames) {
    test(`a file called ${name}`, () => {
      assert.match(nameProblems({ [`src/features/orders/${name}.ts`]: '' }).join(), /says nothing/);
    });
  }

  test('two files of one name', () => {
    const problems = nameProblems({
      'src/features/orders/rows.ts': '',
      'src/features/accounts/rows.ts': '',
      'test/rows.ts': '',
    });
    assert.deepEqual(problems, [
      'src/features/orders/rows.ts: has the same name as src/features/accounts/rows.ts',
    ]);
  });

  const sql = [
    "const text = 'SELECT id FROM accounts';",
    'const text = `\n  select id,\n    username\n  from accounts`;',
    "const text = 'INSERT INTO accounts (id) VALUES ($1)';",
    "const text = 'UPDATE accounts SET blocked = true';",
    "const text = 'DELETE FROM accounts';",
    'const rows = await database.query(accountById, [id]);',
    'await database.transaction(async (transaction) => {});',
  ];
  for (const text of sql) {
    test(`SQL among the routes: ${text.split('\n')[0]}`, () => {
      for (const path of [
        'src/features/accounts/account-routes.ts',
        'src/features/accounts/account-view.ts',
        'src/features/accounts/account-schemas.ts',
        'src/features/orders/parse-order-request.ts',
        'src/features/order-engine/decisions/place-order.ts',
        'src/platform/http/csv.ts',
        'src/shared/times.ts',
      ])
        assert.equal(sqlProblems({ [path]: text }).length, 1, path);
      const store = 'src/features/accounts/account-store.ts';
      assert.deepEqual(sqlProblems({ [store]: text }), []);
      for (const from of ['fastify', '../../platform/http/list-query.ts'])
        assert.equal(sqlProblems({ [store]: `import { a } from '${from}';\n${text}` }).length, 1, from);
    });
  }

  test('an exception whose import is gone', () => {
    assert.equal(staleExceptions({}).length, frameworkElsewhere.length + alsoWithoutSql.length);
    assert.match(staleExceptions({}).join(), /is not needed any more/);
  });

  for (const text of ['if (database[isSpread]) return;', 'if (await isCitus(database)) return;']) {
    test(`a feature that asks about shards: ${text}`, () => {
      assert.equal(shardProblems({ 'src/features/orders/a.ts': text }).length, 1);
    });
  }

  for (const word of ['TODO', 'FIXME']) {
    test(`a ${word} left in a source`, () => {
      assert.equal(leftoverProblems({ 'src/features/orders/order-batch.ts': `// ${word}: later` }).length, 1);
    });
  }
});

describe('what is allowed is not reported', () => {
  const allowed: readonly (readonly [title: string, path: string, text: string])[] = [
    [
      'a feature on shared and the database',
      'src/features/orders/a.ts',
      "import '../../shared/times.ts';\nimport '../../platform/database/database.ts';",
    ],
    [
      'a feature on another feature',
      'src/features/orders/a.ts',
      "import { a } from '../packages/package-catalog.ts';",
    ],
    ['a feature on its own files', 'src/features/orders/a.ts', "import { a } from './order-view.ts';"],
    [
      'routes on http, a feature and the framework',
      'src/features/orders/order-routes.ts',
      "import type { A } from '../../platform/http/error-responses.ts';\nimport '../order-engine/order-engine.ts';\nimport type { B } from 'fastify';",
    ],
    ['main and cli on the configuration', 'src/main.ts', "import { readConfig } from './setup/config.ts';"],
    ['a driver on the database', 'src/platform/database/postgres/a.ts', "import '../database.ts';"],
    [
      'a path that is only text',
      'src/shared/amounts.ts',
      "// as ../features/orders/order-view.ts does\nconst a = '../features/orders/order-view.ts';",
    ],
    [
      'the command line on the client',
      'src/cli/service-client.ts',
      "import { a } from '../../sdk/src/index.ts';",
    ],
    ['a test on the program', 'test/road.test.ts', "import { a } from '../src/service/app.ts';"],
    [
      'a page on parts and types of the service',
      'web/src/features/orders/order-list.tsx',
      "import '../../ui/button.tsx';\nimport type { A } from '../../../../src/features/orders/order-schemas.ts';",
    ],
  ];
  for (const [title, path, text] of allowed) {
    test(title, () => assert.deepEqual(importProblems({ [path]: text }), []));
  }

  test('a mode that a caller may leave out', () => {
    for (const text of [
      "function find(code: string, mode: 'live' | 'test' = 'live') {}",
      'function find(code: string, mode?: KeyMode) {}',
      "const find = ({ after, mode = 'live' }) => after;",
    ])
      assert.equal(modeProblems({ 'src/features/identity/a.ts': text }).length, 1, text);
    const named = "if (mode === 'live') return; const mode = isTest ? 'test' : 'live';";
    assert.deepEqual(modeProblems({ 'src/features/identity/a.ts': named }), []);
  });

  test('words about selecting among the routes', () => {
    assert.deepEqual(
      sqlProblems({
        'src/features/orders/a-routes.ts': 'const { page } = request.query; // update a whole set',
      }),
      [],
    );
  });
});

function importProblems(sources: Sources): readonly string[] {
  return Object.entries(sources).flatMap(([path, text]) => {
    const imports = importsOf(text);
    if (path.startsWith('proof/oracle/oracle')) return imports.flatMap(({ to }) => oracleProblem(path, to));
    if (path.startsWith('scripts/')) return imports.flatMap(({ to }) => scriptProblem(path, to));
    if (!/^(?:web\/)?src\//.test(path)) return [];
    if (placeOf(path) === undefined) return [`${path}: is in no known place of ${path.split('src/')[0]}src`];
    return imports.flatMap(({ to }) =>
      to.startsWith('.') ? ownProblem(path, to) : frameworkProblem(path, to),
    );
  });
}

function ownProblem(path: string, to: string): readonly string[] {
  const target = posix.join(posix.dirname(path), to);
  if (path.startsWith('web/') && !target.startsWith('web/src/')) return [];
  if (target === clientEntry && path.startsWith('src/cli/')) return [];
  if (path.startsWith('src/') && !target.startsWith('src/'))
    return [`${path}: may not import ${target}, which is outside src`];
  const problem = upwardProblem(path, target) ?? schemaProblem(path, target) ?? routeProblem(path, target);
  return problem === undefined ? [] : [problem];
}

/** Pages and client types are made from schemas, so schemas import nothing else. */
function schemaProblem(path: string, target: string): string | undefined {
  const isSchemas = path.startsWith('src/') && path.endsWith('-schemas.ts');
  if (!isSchemas || target.startsWith('src/shared/') || target.endsWith('-schemas.ts')) return undefined;
  return `${path}: may not import ${target}; schemas import schemas and what is shared`;
}

function routeProblem(path: string, target: string): string | undefined {
  if (!target.startsWith('src/') || !target.endsWith('-routes.ts')) return undefined;
  const isHub =
    path.startsWith('src/service/') || path === 'src/features/overview/console-overview-routes.ts';
  const isOwn = path.endsWith('-routes.ts') && featureOf(path) === featureOf(target);
  if (isHub || isOwn || target.startsWith('src/platform/')) return undefined;
  return `${path}: may not import ${target}; routes are imported by the service and by routes of their feature`;
}

function upwardProblem(path: string, target: string): string | undefined {
  const [from, into] = [placeOf(path), placeOf(target)];
  const order = path.startsWith('web/') ? placesOfPages : places;
  const isBelow = from !== undefined && into !== undefined && order.indexOf(into) >= order.indexOf(from);
  // The command line uses a service like any other program.
  const isBeside = path.startsWith('src/service/') && target.startsWith('src/cli/');
  if (!isBelow || isBeside)
    return `${path}: may not import ${target}; imports point from the service to features to the platform`;
  const [own, other] = [featureOf(path), featureOf(target)];
  if (own === 'order-engine' && target.startsWith('src/platform/http/'))
    return `${path}: may not import ${target}; the engine knows nothing of requests`;
  if (own === undefined || other === undefined || own === other || features[own]?.includes(other))
    return undefined;
  return `${path}: may not import ${target}; ${other} is not among the features that ${own} imports`;
}

function staleExceptions(sources: Sources): readonly string[] {
  const ofFramework = frameworkElsewhere.filter(
    (path) => !importsOf(sources[path] ?? '').some(({ to }) => isFramework(to)),
  );
  const ofSql = alsoWithoutSql.filter((path) => sources[path] === undefined);
  return [...ofFramework, ...ofSql].map((path) => `${path}: is not needed any more in its list`);
}

function frameworkProblem(path: string, to: string): readonly string[] {
  if (!isFramework(to) || mayKnowFramework(path)) return [];
  return [`${path}: may not import ${to}; the framework stays in routes, platform/http, service and main.ts`];
}

function isFramework(to: string): boolean {
  return to === 'fastify' || to.startsWith('fastify/') || to.startsWith('@fastify/');
}

function mayKnowFramework(path: string): boolean {
  const isRoutes = path.startsWith('src/features/') && path.endsWith('-routes.ts');
  return (
    (isRoutes && featureOf(path) !== 'order-engine') ||
    /^src\/(?:main\.ts$|service\/|platform\/http\/)/.test(path) ||
    frameworkElsewhere.includes(path)
  );
}

/** An oracle that shares code with the product would prove nothing. */
function oracleProblem(path: string, to: string): readonly string[] {
  const target = posix.join(posix.dirname(path), to);
  return to.startsWith('.') && target.startsWith('src/')
    ? [`${path}: the oracle may not import ${target}`]
    : [];
}

/** Scripts must work without the tests. */
function scriptProblem(path: string, to: string): readonly string[] {
  const target = posix.join(posix.dirname(path), to);
  return to.startsWith('.') && target.startsWith('test/')
    ? [`${path}: a script may not import ${target}`]
    : [];
}

/** Once each, with the imports that close it. */
function circles(sources: Sources, nodeOf: (path: string) => string): readonly string[] {
  const graph = new Map<string, Map<string, string>>();
  for (const [path, text] of Object.entries(sources)) {
    if (path === 'test/unit/import-lines.test.ts') continue; // its examples of broken rules are text
    for (const { to } of importsOf(text)) {
      if (!to.startsWith('.')) continue;
      const target = posix.join(posix.dirname(path), to);
      const [from, into] = [nodeOf(path), nodeOf(target)];
      if (from === into || !(target in sources)) continue;
      const targets = graph.get(from) ?? new Map<string, string>();
      graph.set(from, targets.set(into, targets.get(into) ?? `${path} imports ${target}`));
    }
  }
  const found = new Map<string, string>();
  const done = new Set<string>();
  const walk = (folder: string, road: readonly string[]): void => {
    const start = road.indexOf(folder);
    if (start >= 0) {
      const circle = road.slice(start);
      const steps = circle.map((from, index) => {
        const into = circle[(index + 1) % circle.length] ?? '';
        return graph.get(from)?.get(into) ?? '';
      });
      found.set(circle.toSorted().join(), `${[...circle, folder].join(' → ')}: ${steps.join('; ')}`);
      return;
    }
    if (done.has(folder)) return;
    for (const into of graph.get(folder)?.keys() ?? []) walk(into, [...road, folder]);
    done.add(folder);
  };
  for (const folder of graph.keys()) walk(folder, []);
  return [...found.values()];
}

function nameProblems(sources: Sources): readonly string[] {
  const problems: string[] = [];
  const seen = new Map<string, string>();
  for (const path of Object.keys(sources)
    .filter((each) => each.startsWith('src/'))
    .sort()) {
    const name = basename(path).replace(/\.\w+$/, '');
    if (emptyNames.includes(name)) problems.push(`${path}: the name says nothing about the file`);
    const other = seen.get(name);
    if (other !== undefined) problems.push(`${path}: has the same name as ${other}`);
    seen.set(name, path);
  }
  return problems;
}

function sqlProblems(sources: Sources): readonly string[] {
  const statement =
    /\bselect\b[^;]{1,400}?\bfrom\b|\binsert\s+into\b|\bupdate\s+\w+\s+set\b|\bdelete\s+from\b/i;
  const call = /\.(query|transaction)\s*\(/;
  return Object.entries(sources)
    .filter(([path, text]) => path.startsWith('src/') && answersRequests(path, text))
    .filter(([, text]) => statement.test(text) || call.test(text))
    .map(
      ([path]) => `${path}: contains SQL; it belongs to a file of its own in the feature that owns the table`,
    );
}

function answersRequests(path: string, text: string): boolean {
  if (/^src\/(?:shared|platform\/http|features\/order-engine\/decisions)\//.test(path)) return true;
  if (/-(?:routes|view|schemas|pdf|csv|pages|request)\.ts$/.test(path)) return true;
  if (alsoWithoutSql.includes(path)) return true;
  const isFeature = path.startsWith('src/features/');
  return (
    isFeature &&
    importsOf(text).some(
      ({ to }) => isFramework(to) || posix.join(posix.dirname(path), to).startsWith('src/platform/http/'),
    )
  );
}

function leftoverProblems(sources: Sources): readonly string[] {
  return Object.entries(sources)
    .filter(([path, text]) => path !== 'test/unit/import-lines.test.ts' && /\b(TODO|FIXME)\b/.test(text))
    .map(([path]) => `${path}: contains a note of something left to do`);
}

/** Different SQL for the two kinds of database has two forms; shards/query-shards.ts chooses one. */
function shardProblems(sources: Sources): readonly string[] {
  return Object.entries(sources)
    .filter(([path]) => !/^(?:src\/platform\/database|test)\//.test(path))
    .filter(
      ([path, text]) =>
        /\bisSpread\b/.test(text) || (path.startsWith('src/features/') && /\bisCitus\b/.test(text)),
    )
    .map(
      ([path]) => `${path}: asks whether shards are on several servers; it takes queryShards or bySharding`,
    );
}

/** A forgotten argument once gave a test key live customers. */
function modeProblems(sources: Sources): readonly string[] {
  const leftOut = /\bmode\?\s*:|\bmode\s*(?::[^,;()={}]*)?=\s*'(?:live|test)'/i;
  return Object.entries(sources)
    .filter(([path, text]) => path.startsWith('src/') && leftOut.test(text))
    .map(([path]) => `${path}: the mode is a required argument`);
}

function importsOf(text: string): readonly Import[] {
  const statement = /^[ \t]*(?:import|export)\s+(?:type\s)?(?:[^'"`;]*?\sfrom\s*)?['"]([^'"]+)['"]/gm;
  const expression =
    /(?:\bimport|\brequire|\bnew\s+URL)\s*\(\s*['"]([^'"]+\.(?:tsx?|mjs|js|json)|[\w@][^'"]*)['"]/g;
  return [
    ...[...text.matchAll(statement)].map(([, to = '']) => ({ to })),
    ...[...text.matchAll(expression)].map(([, to = '']) => ({ to })),
  ];
}

/** The innermost place of a file. Files beside folders are places of their own. */
function placeOf(path: string): string | undefined {
  return [...places, ...placesOfPages]
    .filter((place) => path === place || path.startsWith(`${place}/`))
    .sort((a, b) => b.length - a.length)[0];
}

function featureOf(path: string): string | undefined {
  return path.startsWith('src/features/') ? path.split('/')[2] : undefined;
}

function readSources(): Sources {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const paths = globSync(['{src,sdk,web/src,test,proof,scripts,bin,bench,examples}/**/*.{ts,tsx,mjs,sql}'], {
    cwd: root,
    exclude: ['**/node_modules/**', '**/dist/**'],
  });
  return Object.fromEntries(
    paths.map((path) => [
      path.replaceAll('\\', '/'),
      readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'),
    ]),
  );
}
