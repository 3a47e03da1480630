// Builds what browsers are shown, when it is missing or older than its sources: the panel (web/ into web/dist) and
// the documents (docs/*.md into docs/dist). Called by prepare.mjs before `npm start` and `npm test`, on the Node that
// it chose.
// Always true: silent and quick when there is nothing to do; a stamp is written only behind a build that succeeded.
// The two are built at the same time: the documents take longer, and the panel is ready meanwhile.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const web = join(root, 'web');

build({
  title: 'pages of the panel',
  target: join(web, 'dist'),
  sources: ['web/{src,public}/**/*', 'web/*.{html,ts,json}'],
  command: [join(root, 'node_modules', 'vite', 'bin', 'vite.js'), 'build', '--logLevel', 'warn'],
  folder: web,
});
build({
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
});

function build({ title, target, sources, command, folder }) {
  const stampFile = join(target, '.built-from');
  const stamp = stampOf(sources);
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  process.stderr.write(`Building the ${title} …\n`);
  // Neither of them may find its way into the service's own output.
  const child = spawn(process.execPath, command, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  child.on('close', (status) => {
    if (status === 0) return writeFileSync(stampFile, stamp);
    process.stderr.write(`The ${title} could not be built:\n${output}\n`);
    process.exitCode = 1;
  });
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
