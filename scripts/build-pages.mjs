// Builds what browsers are shown, when it is missing or older than its sources: the panel (web/ into web/dist) and
// the documents (docs/*.md into docs/dist). Called by prepare.mjs before `npm test` and, with `--panel`, for the panel
// alone before `npm start`, on the Node that it chose.
// Always true: silent and quick when there is nothing to do; a stamp is written only after a build that succeeded;
// two runs at once take turns.
// The two are built at the same time: the documents take longer, and the panel is ready by then.
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CannotPrepare, oneAtATime, runToTheEnd } from './one-at-a-time.mjs';
import { explain } from './prepare.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const web = join(root, 'web');

const panel = {
  title: 'pages of the panel',
  target: join(web, 'dist'),
  sources: ['web/{src,public}/**/*', 'web/*.{html,ts,json}'],
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
    '{sdk,examples,deploy}/README.md',
    'CHANGELOG.md',
    'scripts/build-docs.ts',
    'web/public/icon.svg',
  ],
  command: [join(root, 'scripts', 'build-docs.ts')],
  folder: root,
};

try {
  const wanted = process.argv.includes('--panel') ? [panel] : [panel, documents];
  const unbuilt = () => wanted.filter((one) => !isBuilt(one));
  if (unbuilt().length > 0) {
    await oneAtATime(async () => {
      const problems = await Promise.all(unbuilt().map(build));
      const problem = problems.filter((one) => one !== undefined).join('\n');
      if (problem !== '') throw new CannotPrepare(problem);
    });
  }
} catch (error) {
  process.exitCode = explain(error);
}

function isBuilt({ target, sources }) {
  const stampFile = join(target, '.built-from');
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stampOf(sources);
}

/** Returns what went wrong; undefined when nothing did. */
async function build({ title, target, sources, command, folder }) {
  const stamp = stampOf(sources);
  process.stderr.write(`Building the ${title} …\n`);
  const problem = await runToTheEnd(process.execPath, command, { cwd: folder });
  if (problem !== undefined) return `The build of the ${title} ${problem}`;
  writeFileSync(join(target, '.built-from'), stamp);
}

function stampOf(patterns) {
  const files = ['package-lock.json', ...globSync(patterns, { cwd: root }).sort()];
  const hash = createHash('sha256');
  for (const file of files) {
    const path = join(root, file);
    if (statSync(path).isFile()) hash.update(`${file}\0`).update(readFileSync(path));
  }
  return hash.digest('hex');
}
