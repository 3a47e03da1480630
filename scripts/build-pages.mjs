// Builds what browsers are shown, when it is missing or older than its sources: the panel (web/ into web/dist) and
// the documents (docs/*.md into docs/dist), which hand out the packed client (sdk/src into sdk/dist). Called by test.ts,
// beside the tests that need none of it, and by prepare.mjs, on the Node that it chose: with `--panel` for the panel alone
// before `npm start`, with `--client` for the client alone before it is packed, with `--program` for the bundle that tests
// start as well.
// Always true: silent and quick when there is nothing to do; a stamp is written only after a build that succeeded;
// two runs at once take turns.
// Panel and documents are built at the same time: the documents take longer, and the panel is ready by then.
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
  // And the lines of the guide that verify a webhook.
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
    '{sdk,examples,deploy,integrations}/README.md',
    'integrations/{whmcs,blesta}/README.md',
    'CHANGELOG.md',
    'scripts/build-docs.ts',
    // What they hand out.
    ...client.sources,
    'sdk/{package.json,LICENSE}',
    'examples/sellthrough.py',
    'integrations/**/*.{php,tpl,pdt,json,svg}',
    'scripts/build-integrations.ts',
    'web/public/icon.svg',
  ],
  command: [join(root, 'scripts', 'build-docs.ts')],
  folder: root,
};
// For tests alone.
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
  // It names files by their whole paths.
  place: root,
};

try {
  const has = (flag) => process.argv.includes(flag);
  // Each row is built when the row before it is there.
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

/** Returns what went wrong; undefined when nothing did. */
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
