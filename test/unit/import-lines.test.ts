// The house rules about which file may import which, where SQL and the framework may appear, and how files are
// named (CONTRIBUTING.md, "Where things go"). The rules are a pure function over sources, so that the second
// half of this file can break each of them on purpose.
// The scan reads imports with patterns: TypeScript 7 has no compiler API. It sees `import`, `export … from`,
// `import()`, `require()` and `new URL('./file.ts', import.meta.url)`; a computed path it cannot see.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, posix } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** Paths from the root of the repository, with `/`, to their text. */
type Sources = Readonly<Record<string, string>>;

interface Import {
  readonly to: string;
  readonly typeOnly: boolean;
}

/** Each owns its tables; they import each other, in no circle. */
const features = [
  'events',
  'delivery',
  'jobs',
  'delivery',
  'journal',
  'accounts',
  'identity',
  'catalog',
  'plans',
  'ledger',
  'orders',
  'verify',
  'backup',
  'delivery',
  'test-mode',
  'brand',
];

// A place may import places of its own rank and below.
const ranks: Readonly<Record<string, number>> = {
  contract: 0,
  text: 1,
  database: 1,
  limits: 1,
  http: 2,
  ...Object.fromEntries(features.map((feature) => [feature, 2])),
  api: 3,
  // The process: puts everything together, so it may import everything.
  'config.ts': 4,
  'configuration-variables.ts': 4,
  'create-counting.ts': 4,
  'create-service.ts': 4,
  'bootstrap.ts': 4,
  'demo-reseller.ts': 4,
  'demo-reseller-file.ts': 4,
  'first-administrator.ts': 4,
  'first-administrator-file.ts': 4,
  'housekeeping.ts': 4,
  'welcome.ts': 4,
  'sentences.ts': 4,
  'main.ts': 4,
  cli: 4,
};

/** The client, which the command line is built on. */
const clientEntry = 'sdk/src/index.ts';

const emptyNames = ['utils', 'helpers', 'service', 'manager', 'index'];

describe('the house rules hold', () => {
  const sources = readSources();

  test('every file of src imports only what its place allows', () => {
    assert.ok(Object.keys(sources).some((path) => path.startsWith('src/')));
    assert.deepEqual(importProblems(sources), []);
  });

  test('the imports of folders form no circle', () => {
    assert.deepEqual(circles(sources), []);
  });

  test('every file name says by itself what the file is', () => {
    assert.deepEqual(nameProblems(sources), []);
  });

  test('the routes contain no SQL of their own', () => {
    assert.deepEqual(sqlProblems(sources), []);
  });

  test('nothing is left to be done later', () => {
    assert.deepEqual(leftoverProblems(sources), []);
  });

  test('no function falls back on live or test mode where its caller names none', () => {
    assert.deepEqual(modeProblems(sources), []);
  });
});

describe('a broken house rule is reported', () => {
  const broken: readonly (readonly [title: string, path: string, text: string, reported: RegExp])[] = [
    [
      'contract imports a feature',
      'src/contract/amounts.ts',
      "import { a } from '../orders/decide-orders.ts';",
      /may not import src\/orders\/decide-orders/,
    ],
    [
      'contract imports the database',
      'src/contract/amounts.ts',
      "import { a } from '../database/database.ts';",
      /may not import src\/database/,
    ],
    [
      'the database imports a feature',
      'src/database/postgres.ts',
      "import { a } from '../accounts/api-key.ts';",
      /may not import src\/accounts/,
    ],
    [
      'a feature imports http',
      'src/orders/order-batch.ts',
      "import { a } from '../http/errors.ts';",
      /may not import src\/http/,
    ],
    [
      'a feature imports a type of http',
      'src/orders/order-batch.ts',
      "import type { A } from '../http/errors.ts';",
      /may not import src\/http/,
    ],
    [
      'a feature imports http over several lines',
      'src/orders/order-batch.ts',
      "import {\n  a,\n  b,\n} from '../http/errors.ts';",
      /may not import src\/http/,
    ],
    [
      'a feature exports from http',
      'src/orders/order-batch.ts',
      "export * from '../http/errors.ts';",
      /may not import src\/http/,
    ],
    [
      'a feature imports http for its effects',
      'src/orders/order-batch.ts',
      "import '../http/errors.ts';",
      /may not import src\/http/,
    ],
    [
      'a feature imports http while it runs',
      'src/orders/order-batch.ts',
      "const a = await import('../http/errors.ts');",
      /may not import src\/http/,
    ],
    [
      'a feature requires http',
      'src/orders/order-batch.ts',
      "const a = require('../http/errors.ts');",
      /may not import src\/http/,
    ],
    [
      'a feature starts a worker of http',
      'src/orders/order-batch.ts',
      "new Worker(new URL('../http/errors.ts', import.meta.url));",
      /may not import src\/http/,
    ],
    [
      'a feature imports the panel',
      'src/identity/password.ts',
      "import { a } from '../panel/session-routes.ts';",
      /may not import src\/panel/,
    ],
    ['http imports main', 'src/api/app.ts', "import { a } from '../main.ts';", /may not import src\/main/],
    [
      'a surface imports the command line',
      'src/api/admin/audit-routes.ts',
      "import { a } from '../../cli/verify-command.ts';",
      /may not import src\/cli/,
    ],
    [
      'http reads the configuration',
      'src/api/app.ts',
      "import { config } from '../config.ts';",
      /configuration/,
    ],
    [
      'a feature reads the configuration beside a type',
      'src/orders/order-engine.ts',
      "import { config, type Config } from '../config.ts';",
      /configuration/,
    ],
    [
      'a feature imports the framework',
      'src/orders/order-engine.ts',
      "import Fastify from 'fastify';",
      /framework/,
    ],
    [
      'a feature imports a type of the framework',
      'src/orders/order-engine.ts',
      "import type { FastifyInstance } from 'fastify';",
      /framework/,
    ],
    [
      'a feature imports a plugin of the framework',
      'src/orders/order-engine.ts',
      "import swagger from '@fastify/swagger';",
      /framework/,
    ],
    [
      'contract imports the framework',
      'src/contract/order-schemas.ts',
      "import { Type } from '@fastify/type-provider-typebox';",
      /framework/,
    ],
    [
      'the command line imports the framework',
      'src/cli/verify-command.ts',
      "import Fastify from 'fastify';",
      /framework/,
    ],
    ['a folder nobody knows', 'src/misc/thing.ts', '', /no known place/],
    ['a stray file in src', 'src/start.ts', '', /no known place/],
    [
      'the program imports a test',
      'src/orders/order-engine.ts',
      "import { a } from '../../proof/oracle/oracle.ts';",
      /outside src/,
    ],
    [
      'a feature imports the client',
      'src/orders/order-engine.ts',
      "import { a } from '../../sdk/src/index.ts';",
      /outside src/,
    ],
    [
      'the oracle shares the program’s code',
      'proof/oracle/oracle.ts',
      "import { a } from '../../src/orders/decide-orders.ts';",
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
    const problems = circles({
      'src/plans/a.ts': "import '../orders/b.ts';",
      'src/orders/b.ts': "import type { C } from '../ledger/c.ts';",
      'src/ledger/c.ts': "import '../plans/a.ts';\nimport '../contract/times.ts';",
      'src/contract/times.ts': '',
    });
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? '', /src\/plans → src\/orders → src\/ledger → src\/plans/);
    assert.match(problems[0] ?? '', /src\/ledger\/c\.ts imports src\/plans\/a\.ts/);
  });

  for (const name of emptyNames) {
    test(`a file called ${name}`, () => {
      assert.match(nameProblems({ [`src/orders/${name}.ts`]: '' }).join(), /says nothing/);
    });
  }

  test('two files of one name', () => {
    const problems = nameProblems({
      'src/orders/rows.ts': '',
      'src/accounts/rows.ts': '',
      'test/rows.ts': '',
    });
    assert.deepEqual(problems, ['src/orders/rows.ts: has the same name as src/accounts/rows.ts']);
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
      assert.equal(sqlProblems({ 'src/api/admin/account-routes.ts': text }).length, 1);
      assert.deepEqual(sqlProblems({ 'src/accounts/account-store.ts': text }), []);
    });
  }

  for (const word of ['TODO', 'FIXME']) {
    test(`a ${word} left in a source`, () => {
      assert.equal(leftoverProblems({ 'src/orders/order-batch.ts': `// ${word}: later` }).length, 1);
    });
  }
});

describe('what is allowed is not reported', () => {
  const allowed: readonly (readonly [title: string, path: string, text: string])[] = [
    [
      'a feature on contract and database',
      'src/orders/a.ts',
      "import '../contract/times.ts';\nimport '../database/database.ts';",
    ],
    ['a feature on another feature', 'src/orders/a.ts', "import { a } from '../catalog/package-catalog.ts';"],
    ['a feature on its own engine', 'src/orders/a.ts', "import { a } from './order-engine.ts';"],
    [
      'a surface on http, a feature and the framework',
      'src/api/reseller/order-routes.ts',
      "import type { A } from '../../http/errors.ts';\nimport '../../orders/order-engine.ts';\nimport type { B } from 'fastify';",
    ],
    ['main and cli on the configuration', 'src/main.ts', "import { readConfig } from './config.ts';"],
    [
      'a type of the configuration',
      'src/orders/order-engine.ts',
      "import type { Limits } from '../config.ts';",
    ],
    [
      'a path that is only text',
      'src/contract/amounts.ts',
      "// as ../orders/decide-orders.ts does\nconst a = '../orders/decide-orders.ts';",
    ],
    [
      'the command line on the client',
      'src/cli/service-client.ts',
      "import { a } from '../../sdk/src/index.ts';",
    ],
    ['a test on the program', 'test/road.test.ts', "import { a } from '../src/api/app.ts';"],
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
      assert.equal(modeProblems({ 'src/identity/a.ts': text }).length, 1, text);
    const named = "if (mode === 'live') return; const mode = isTest ? 'test' : 'live';";
    assert.deepEqual(modeProblems({ 'src/identity/a.ts': named }), []);
  });

  test('words about selecting among the routes', () => {
    assert.deepEqual(
      sqlProblems({ 'src/api/admin/a-routes.ts': 'const { page } = request.query; // update a whole set' }),
      [],
    );
  });
});

// ---- the rules

function importProblems(sources: Sources): readonly string[] {
  return Object.entries(sources).flatMap(([path, text]) => {
    const imports = importsOf(text);
    if (path.startsWith('proof/oracle/oracle')) return imports.flatMap(({ to }) => oracleProblem(path, to));
    if (path.startsWith('scripts/')) return imports.flatMap(({ to }) => scriptProblem(path, to));
    if (!path.startsWith('src/')) return [];
    const place = cursorOf(path);
    if (ranks[place] === undefined) return [`${path}: is in no known place of src`];
    return imports.flatMap((found) =>
      found.to.startsWith('.') ? ownProblem(path, found) : frameworkProblem(path, found.to),
    );
  });
}

function ownProblem(path: string, { to, typeOnly }: Import): readonly string[] {
  const target = posix.join(posix.dirname(path), to);
  if (target === clientEntry && cursorOf(path) === 'cli') return [];
  if (!target.startsWith('src/')) return [`${path}: may not import ${target}, which is outside src`];
  const from = cursorOf(path);
  const into = cursorOf(target);
  if (into === 'config.ts') {
    const mayRead = ranks[from] === ranks['main.ts'] || typeOnly;
    return mayRead ? [] : [`${path}: may not import the configuration; what it needs arrives as an argument`];
  }
  const isBetweenFeatureAndHttp =
    (features.includes(from) && into === 'http') || (from === 'http' && features.includes(into));
  const isAllowed = (ranks[into] ?? Number.POSITIVE_INFINITY) <= (ranks[from] ?? -1);
  if (isAllowed && !isBetweenFeatureAndHttp) return [];
  return [`${path}: may not import ${target}; imports point from surfaces to features to the database`];
}

function frameworkProblem(path: string, to: string): readonly string[] {
  if (to !== 'fastify' && !to.startsWith('fastify/') && !to.startsWith('@fastify/')) return [];
  if (['http', 'api', 'main.ts', 'create-service.ts'].includes(cursorOf(path))) return [];
  return [`${path}: may not import ${to}; the framework stays in http, api, main.ts and create-service.ts`];
}

/** The second implementation of the rules proves nothing if it shares code with the first. */
function oracleProblem(path: string, to: string): readonly string[] {
  const target = posix.join(posix.dirname(path), to);
  return to.startsWith('.') && target.startsWith('src/')
    ? [`${path}: the oracle may not import ${target}`]
    : [];
}

/** Tests use the scripts, so that a script can be used without the tests. */
function scriptProblem(path: string, to: string): readonly string[] {
  const target = posix.join(posix.dirname(path), to);
  return to.startsWith('.') && target.startsWith('test/')
    ? [`${path}: a script may not import ${target}`]
    : [];
}

/** Each circle once, as the folders on it and the imports that close it. */
function circles(sources: Sources): readonly string[] {
  const graph = new Map<string, Map<string, string>>();
  for (const [path, text] of Object.entries(sources)) {
    if (path === 'test/unit/import-lines.test.ts') continue; // its examples of broken rules are text
    for (const { to } of importsOf(text)) {
      if (!to.startsWith('.')) continue;
      const target = posix.join(posix.dirname(path), to);
      const [from, into] = [posix.dirname(path), posix.dirname(target)];
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
    .filter(([path]) => path.startsWith('src/api/'))
    .filter(([, text]) => statement.test(text) || call.test(text))
    .map(([path]) => `${path}: contains SQL; it belongs to the feature that owns the table`);
}

function leftoverProblems(sources: Sources): readonly string[] {
  return Object.entries(sources)
    .filter(([path, text]) => path !== 'test/unit/import-lines.test.ts' && /\b(TODO|FIXME)\b/.test(text))
    .map(([path]) => `${path}: contains a note of something left to do`);
}

/** A forgotten argument once gave a test key live customers. */
function modeProblems(sources: Sources): readonly string[] {
  const leftOut = /\bmode\?\s*:|\bmode\s*(?::[^,;()={}]*)?=\s*'(?:live|test)'/i;
  return Object.entries(sources)
    .filter(([path, text]) => path.startsWith('src/') && leftOut.test(text))
    .map(([path]) => `${path}: the mode is a required argument`);
}

// ---- reading

function importsOf(text: string): readonly Import[] {
  const statement = /^[ \t]*(?:import|export)\s+(type\s)?(?:[^'"`;]*?\sfrom\s*)?['"]([^'"]+)['"]/gm;
  const expression =
    /(?:\bimport|\brequire|\bnew\s+URL)\s*\(\s*['"]([^'"]+\.(?:ts|mjs|js|json)|[\w@][^'"]*)['"]/g;
  return [
    ...[...text.matchAll(statement)].map(([, type, to = '']) => ({ to, typeOnly: type !== undefined })),
    ...[...text.matchAll(expression)].map(([, to = '']) => ({ to, typeOnly: false })),
  ];
}

/** The folder under src, or the file itself where it lies in src directly. */
function cursorOf(path: string): string {
  return path.split('/')[1] ?? '';
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
