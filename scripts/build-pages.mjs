// Builds the panel (web/dist), the documents (docs/dist) and the packed client (sdk/dist) if missing or older than their
// sources. Called by test.ts and prepare.mjs: `--panel` or `--client` builds only that part; `--program` adds the bundle
// that tests start.
// Invariant: quick and silent if nothing changed; parallel runs take turns. A stamp is written only after success.
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CannotPrepare, oneAtATime, runToTheEnd } from './one-at-a-time.mjs';
import { explain } from './prepare.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const web = join(root, 'web');

const client = {
  title: 'client',
  target: join(root, 'sdk', 'dist'),
  sources: ['sdk/src/**/*', 'sdk/tsconfig*.json', 'scripts/build-client.mjs'],
  command: [join(root, 'scripts', 'build-client.mjs')],
  folder: root,
};
const panel = {
  title: 'pages of the panel',
  target: join(web, 'dist'),
  // docs/webhooks.md counts as a source, because the panel shows its samples that verify a webhook.
  sources: ['web/{src,public}/**/*', 'web/*.{html,ts,json}', 'docs/webhooks.md'],
  command: [join(root, 'node_modules', 'vite', 'bin', 'vite.js'), 'build', '--logLevel', 'warn'],
  folder: web,
};
const documents = {
  title: 'documents',
  target: join(root, 'docs', 'dist'),
  sources: [
    'docs/**/*.md',
    'docs/package.json',
    'docs/.vitepress/{*,theme/*}',
    '{sdk,examples,deploy,integrations,clients/*}/README.md',
    'integrations/{whmcs,blesta}/README.md',
    'CHANGELOG.md',
    'scripts/build-docs.ts',
    ...client.sources,
    'sdk/{package.json,LICENSE}',
    'clients/*/{LICENSE,*.{json,toml,php}}',
    'clients/*/src/**/*.{php,py,typed}',
    'examples/small-product/*',
    'integrations/**/*.{php,tpl,pdt,json,svg}',
    'scripts/{build-clients,build-integrations,zip-file}.ts',
    'web/public/icon.svg',
  ],
  command: [join(root, 'scripts', 'build-docs.ts')],
  folder: root,
};
const program = {
  title: 'program for the tests',
  target: join(root, 'node_modules', '.cache', 'tested-program'),
  sources: [
    'src/**/*.ts',
    'test/harness/patient-ending.ts',
    'proof/machines/{crash-points,fast-clock,patient-limits,quick-jobs,short-waits}.ts',
    'scripts/{build-tested-program,tested-program}.ts',
  ],
  command: [join(root, 'scripts', 'build-tested-program.ts')],
  folder: root,
  // The bundle contains absolute paths, so a moved checkout needs a new build.
  place: root,
};

try {
  const has = (flag) => process.argv.includes(flag);
  const rows = has('--client') ? [[client]] : has('--panel') ? [[panel]] : [[client], [panel, documents]];
  if (has('--program')) rows.unshift([program]);
  if (!rows.flat().every(isBuilt)) {
    await oneAtATime(async () => {
      for (const row of rows) {
        const problems = await Promise.all(row.filter((one) => !isBuilt(one)).map(build));
        const problem = problems.filter((one) => one !== undefined).join('\n');
        if (problem !== '') throw new CannotPrepare(problem);
      }
    });
  }
} catch (error) {
  process.exitCode = explain(error);
}

function isBuilt({ target, sources, place }) {
  const stampFile = join(target, '.built-from');
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stampOf(sources, place);
}

/** Returns a description of the problem, or undefined after success. */
async function build({ title, target, sources, command, folder, place }) {
  const stamp = stampOf(sources, place);
  process.stderr.write(`Building the ${title} …\n`);
  const problem = await runToTheEnd(process.execPath, command, { cwd: folder });
  if (problem !== undefined) return `The build of the ${title} ${problem}`;
  writeFileSync(join(target, '.built-from'), stamp);
}

function stampOf(patterns, place = '') {
  const files = ['package-lock.json', ...globSync(patterns, { cwd: root }).sort()];
  const hash = createHash('sha256').update(place);
  for (const file of files) {
    const path = join(root, file);
    if (statSync(path).isFile()) hash.update(`${file}\0`).update(readFileSync(path));
  }
  return hash.digest('hex');
}
