// Makes a checkout ready to run: npm runs it before `start`, `test` and `check`, bin/sellthrough.mjs before every
// command. It installs the dependencies from the lockfile and, on a machine whose Node is too old, fetches Node 24 and
// puts it first in npm's PATH (node_modules/.bin/node). Plain JavaScript without dependencies: it runs on Node 18, before
// anything is installed. It also writes what is made from openapi.json and not committed (from-openapi.ts).
// `--start` also builds what browsers are shown, the documents while the service runs, and leaves out what only
// development needs, half of the download, as does `--client`, which builds the client's package alone;
// `--package` builds what `npm pack` ships; `--generate` is for what makes openapi.json. The roads chosen: docs/decisions/0012-set-up.md.
// Always true: silent and quick when there is nothing to do; it writes to stderr only; two runs at once take turns; what
// an interrupted run left behind is repaired by the next one.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { constants, setPriority } from 'node:os';
import { delimiter, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CannotPrepare, oneAtATime, runToTheEnd } from './one-at-a-time.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const node24Folder = join(root, 'scripts', 'node24');
const onWindows = process.platform === 'win32';

// The first release of the 24 line that runs TypeScript sources as a stable feature.
const oldestNode = [24, 12];
const needsNode = `Sellthrough needs Node ${oldestNode.join('.')} or newer and this machine has ${process.version}`;

/**
 * Installs what is missing and returns the path of a Node that runs the program. `development: false` is content
 * with an install that left the development dependencies out.
 * @throws CannotPrepare
 */
export async function prepare({ development, generate = false }) {
  if (Number.parseInt(process.versions.node, 10) < 18)
    throw new CannotPrepare(
      `Sellthrough needs Node 18 or newer to start; this machine has ${process.version}.`,
    );
  // An installed package has no lockfile: its dependencies came with it (docs/decisions/0008-packaging.md).
  const isCheckout = existsSync(join(root, 'package-lock.json'));
  const node24 = needsNode24() ? node24Binary() : undefined;
  const hasDependencies = () => !isCheckout || isInstalled(root, development);
  const hasNode = () => node24 === undefined || isInstalled(node24Folder, false);
  const finds24First = () => node24 === undefined || !isCheckout || isFirst(node24);
  // `npm run generate` makes them itself, when it has written the document.
  const hasDocument = isCheckout && !generate && existsSync(join(root, 'openapi.json'));
  const hasMadeFiles = () => !hasDocument || isMadeFromOpenapi();
  if (!(hasDependencies() && hasNode() && finds24First() && hasMadeFiles())) {
    await oneAtATime(async () => {
      // Another run may have done some of it while this one waited.
      // First: npm passes over optional packages that do not want the Node it runs on itself.
      if (!hasNode()) {
        say(`Fetching Node 24 (this machine has ${process.version}) …`);
        await install(node24Folder, false, needsNode);
      }
      if (!hasDependencies()) {
        say('Installing dependencies from the lockfile …');
        await install(root, development, 'The dependencies are not installed', node24);
      }
      if (!finds24First()) putFirst(node24);
      if (!hasMadeFiles()) await makeFromOpenapi(node24 ?? process.execPath);
    });
  }
  return node24 ?? process.execPath;
}

// ---- packages

/** By a stamp written last: an install that was cut off has none, and one changed by hand another. */
function isInstalled(folder, development) {
  const [stamp, extent] = (readText(stampFile(folder)) ?? '').split(' ');
  return stamp === stampOf(folder) && (extent === 'all' || !development);
}

const stampFile = (folder) => join(folder, 'node_modules', '.prepared');

function stampOf(folder) {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  // npm's record of what is there would not do alone: `npm install --package-lock-only` writes it and installs nothing.
  for (const file of ['package-lock.json', 'node_modules/.package-lock.json'])
    hash.update(readText(join(folder, file)) ?? '');
  return hash.digest('hex');
}

async function install(folder, development, whatFails, node = process.execPath) {
  rmSync(stampFile(folder), { force: true }); // npm removes what is there entry by entry, in any order
  await npm(node, folder, whatFails, [
    ...['ci', development ? '--include=dev' : '--omit=dev', '--include=optional'],
    ...['--no-audit', '--no-fund', '--no-update-notifier', '--prefer-offline'],
    // Nothing needs one: the package of PostgreSQL makes its links when the tests use it. Another reports home.
    '--ignore-scripts',
    // Node 24 itself is fetched by an npm on the old Node.
    ...['--engine-strict=false', '--loglevel=error'],
  ]);
  // npm passes over an optional package it could not fetch, although compiler and linter arrive as such packages.
  const missing = neededPackages(folder, development).filter(
    (path) => !existsSync(join(folder, path, 'package.json')),
  );
  if (missing.length > 0)
    throw new CannotPrepare(
      `${whatFails}: the registry did not give ${missing.join(', ')}. Check the network and run this again.`,
    );
  if (folder === node24Folder && spawnSync(node24Binary(), ['--version']).status !== 0)
    throw new CannotPrepare(`${needsNode}; the one that was fetched does not run here: install Node 24.`);
  writeFileSync(stampFile(folder), `${stampOf(folder)} ${development ? 'all' : 'production'}`);
}

/** The folders of the lockfile's packages that this machine must have. */
function neededPackages(folder, development) {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  const fits = (list, value) => list === undefined || [list].flat().includes(value);
  const ownLibc = () => (process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl');
  return Object.keys(packages).filter((path) => {
    const { link, dev, devOptional, optional, os, cpu, libc } = packages[path];
    if (path === '' || link || (!development && (dev || devOptional))) return false;
    if (optional && os === undefined && cpu === undefined) return false;
    return fits(os, process.platform) && fits(cpu, process.arch) && (!libc || fits(libc, ownLibc()));
  });
}

async function npm(node, folder, whatFails, args) {
  // The one that runs this script, so that its settings hold here too; otherwise the one in PATH.
  const own = process.env.npm_execpath;
  const [command, ...words] = own?.endsWith('npm-cli.js') ? [node, own, ...args] : ['npm', ...args];
  // A network that is away is reported after seconds and not after minutes, unless the user has settings for that.
  const retries = {
    npm_config_fetch_retries: 4,
    npm_config_fetch_retry_factor: 2,
    npm_config_fetch_retry_mintimeout: 1000,
  };
  const path = `${dirname(node)}${delimiter}${process.env.PATH}`;
  const problem = await runToTheEnd(command, words, {
    cwd: folder,
    env: { ...retries, ...process.env, ...(node !== process.execPath && { PATH: path }) },
    shell: onWindows && command === 'npm',
  });
  if (problem === undefined) return;
  const network =
    /\b(ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT)\b/.exec(problem);
  if (network === null) throw new CannotPrepare(`${whatFails}: npm ${problem}`);
  throw new CannotPrepare(
    `${whatFails}: the package registry cannot be reached (${network[0]}). Check the network and run this again.`,
  );
}

// ---- Node 24

/** True also when this very process runs on the fetched Node: `npm ci` may just have removed its link. */
function needsNode24() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const isTooOld = major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1]);
  return isTooOld || process.execPath.startsWith(join(realpathSync(root), 'scripts', 'node24') + sep);
}

function node24Binary() {
  const [folder] = neededPackages(node24Folder, false);
  if (folder !== undefined) return join(node24Folder, folder, 'bin', onWindows ? 'node.exe' : 'node');
  const machine = `${process.platform} ${process.arch}`;
  throw new CannotPrepare(`${needsNode}; npm has none for ${machine}: install Node 24 and run this again.`);
}

/** On Windows a shim and not a link: a program that runs cannot be replaced there, and npm may run on it. */
const firstNode = join(root, 'node_modules', '.bin', onWindows ? 'node.cmd' : 'node');
const shimOf = (node24) => `@"${node24}" %*\r\n`;
const linkTo = (node24) => relative(dirname(firstNode), node24);

function isFirst(node24) {
  try {
    return onWindows ? readText(firstNode) === shimOf(node24) : readlinkSync(firstNode) === linkTo(node24);
  } catch {
    return false;
  }
}

function putFirst(node24) {
  rmSync(firstNode, { force: true });
  if (onWindows) writeFileSync(firstNode, shimOf(node24));
  else symlinkSync(linkTo(node24), firstNode);
}

// ---- what is made from openapi.json

const madeStampFile = join(root, 'node_modules', '.made-from-openapi');

const isMadeFromOpenapi = () => readText(madeStampFile) === madeStamp();

/** Of what from-openapi.ts reads and runs, and of what it has written. */
function madeStamp() {
  const folders = ['scripts/docs', 'docs/reference'];
  const files = [
    ...['openapi.json', 'scripts/from-openapi.ts', 'scripts/sdk-types.ts', 'sdk/src/api-types.ts'],
    ...['src/platform/http/openapi-errors.ts', 'src/platform/http/openapi-names.ts'],
    ...folders.flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`)),
  ];
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(`${file}\0`).update(readText(join(root, file)) ?? '');
  return hash.digest('hex');
}

async function makeFromOpenapi(node) {
  const problem = await runToTheEnd(node, [join(root, 'scripts', 'from-openapi.ts')], { cwd: root });
  if (problem !== undefined) throw new CannotPrepare(`scripts/from-openapi.ts ${problem}`);
  writeFileSync(madeStampFile, madeStamp());
}

// ---- small things

function readText(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/** While the service starts and serves: nobody's first order waits for the documents. */
function buildDocumentsLater(node) {
  const child = spawn(node, [join(root, 'scripts', 'build-pages.mjs')], { detached: true, stdio: 'ignore' });
  child.on('error', () => undefined); // /docs says that they are not there
  try {
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already, or this machine has no priorities.
  }
  child.unref();
}

function say(sentence) {
  process.stderr.write(`${sentence}\n`);
}

/** Prints what went wrong: a sentence for what was foreseen, the stack for the rest. Returns the exit code. */
export function explain(error) {
  say(error instanceof CannotPrepare ? error.message : error.stack);
  return 1;
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const has = (flag) => process.argv.includes(flag);
  try {
    const node = await prepare({
      development: !has('--start') && !has('--client'),
      generate: has('--generate'),
    });
    // On the Node that was chosen: a shell remembers where it found the old one.
    const build = (script, ...flags) =>
      spawnSync(node, [join(root, 'scripts', script), ...flags], { stdio: ['ignore', 2, 2] }).status ?? 1;
    if (has('--start')) {
      process.exitCode = build('build-pages.mjs', '--panel');
      if (process.exitCode === 0) buildDocumentsLater(node);
    }
    if (has('--client')) process.exitCode = build('build-pages.mjs', '--client');
    if (has('--package')) process.exitCode = build('build-pages.mjs');
    if (has('--package')) process.exitCode ||= build('build-package.mjs') || build('bill-of-materials.mjs');
  } catch (error) {
    process.exitCode = explain(error);
  }
}
