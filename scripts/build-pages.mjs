// Builds the pages of the panel (web/ into web/dist) when they are missing or older than their sources. Called by
// prepare.mjs before `npm start` and `npm test`, on the Node that it chose.
// Always true: silent and quick when there is nothing to do; the stamp is written only behind a build that succeeded.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const web = join(root, 'web');
const stampFile = join(web, 'dist', '.built-from');

const sources = [
  join(root, 'package-lock.json'),
  ...globSync(['{src,public}/**/*', '*.{html,ts,json}'], { cwd: web })
    .sort()
    .map((file) => join(web, file)),
].filter((file) => statSync(file).isFile());
const hash = createHash('sha256');
for (const file of sources) hash.update(`${file.slice(root.length)}\0`).update(readFileSync(file));
const stamp = hash.digest('hex');

if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp) {
  process.stderr.write('Building the pages of the panel …\n');
  const program = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const built = spawnSync(process.execPath, [program, 'build', '--logLevel', 'warn'], {
    cwd: web,
    encoding: 'utf8',
    // Neither of them may find its way into the service's own output.
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (built.status === 0) {
    writeFileSync(stampFile, stamp);
  } else {
    process.stderr.write(`The pages could not be built:\n${built.stdout}${built.stderr}\n`);
    process.exitCode = 1;
  }
}
