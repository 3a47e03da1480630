// Makes a checkout ready. npm runs it before `start`, `test` and `check`, and bin/sellthrough.mjs before every command.
// Installs dependencies from the lockfile, fetches Node 24 if this Node is too old and puts it first in npm's PATH
// (node_modules/.bin/node), and writes what from-openapi.ts makes. Plain JavaScript without dependencies, for Node 18.
// `--start` also builds the pages (the documents in the background) and omits development dependencies, which halves the
// download. `--client` builds only the client package, also without development dependencies. `--package` builds what
// `npm pack` ships. `--generate` is for the program that makes openapi.json. Reasons: docs/decisions/0012-set-up.md.
// Invariant: it is quick and silent if nothing is to do, and writes only to stderr. Parallel runs take turns, and the next
// run repairs what an interrupted run left.
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

// The first release of Node 24 in which running TypeScript sources is stable.
const oldestNode = [24, 12];
const needsNode = `Sellthrough needs Node ${oldestNode.join('.')} or newer and this machine has ${process.version}`;

/** Returns the path of a suitable Node. With `development: false` fewer packages are enough. @throws CannotPrepare */
export async function prepare({ development, generate = false }) {
  if (Number.parseInt(process.versions.node, 10) < 18)
    throw new CannotPrepare(
      `Sellthrough needs Node 18 or newer to start; this machine has ${process.version}.`,
    );
  // An installed package comes with its dependencies and has no lockfile (docs/decisions/0008-packaging.md).
  const isCheckout = existsSync(join(root, 'package-lock.json'));
  const node24 = needsNode24() ? node24Binary() : undefined;
  const hasDependencies = () => !isCheckout || isInstalled(root, development);
  const hasNode = () => node24 === undefined || isInstalled(node24Folder, false);
  const finds24First = () => node24 === undefined || !isCheckout || isFirst(node24);
  // `npm run generate` writes these files itself, after openapi.json.
  const hasDocument = isCheckout && !generate && existsSync(join(root, 'openapi.json'));
  const hasMadeFiles = () => !hasDocument || isMadeFromOpenapi();
  if (!(hasDependencies() && hasNode() && finds24First() && hasMadeFiles())) {
    await oneAtATime(async () => {
      // Check again, because another run may have done part of it. Node comes first: npm skips optional packages that do
      // not support the Node it runs on.
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

/** The stamp is written last. It is absent after an interrupted install and differs after a manual change. */
function isInstalled(folder, development) {
  const [stamp, extent] = (readText(stampFile(folder)) ?? '').split(' ');
  return stamp === stampOf(folder) && (extent === 'all' || !development);
}

const stampFile = (folder) => join(folder, 'node_modules', '.prepared');

function stampOf(folder) {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  // npm's own record is not enough, because `npm install --package-lock-only` writes it without installing.
  for (const file of ['package-lock.json', 'node_modules/.package-lock.json'])
    hash.update(readText(join(folder, file)) ?? '');
  return hash.digest('hex');
}

async function install(folder, development, whatFails, node = process.execPath) {
  // npm removes packages one by one, so an interrupted install must leave no stamp
  rmSync(stampFile(folder), { force: true });
  await npm(node, folder, whatFails, [
    ...['ci', development ? '--include=dev' : '--omit=dev', '--include=optional'],
    ...['--no-audit', '--no-fund', '--no-update-notifier', '--prefer-offline'],
    // No package needs its scripts (tests create PostgreSQL's links themselves), and one package's script sends telemetry.
    '--ignore-scripts',
    // Lets npm on an old Node fetch Node 24, which does not support that Node.
    ...['--engine-strict=false', '--loglevel=error'],
  ]);
  // npm ignores optional packages that fail to download, but the compiler and the linter are such packages.
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
  // Prefer the npm that runs this script, to keep its settings; otherwise use the one in PATH.
  const own = process.env.npm_execpath;
  const [command, ...words] = own?.endsWith('npm-cli.js') ? [node, own, ...args] : ['npm', ...args];
  // Reports a network failure after seconds instead of minutes, unless the user configured other values.
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

/** Also true if this process runs on the fetched Node, because `npm ci` may just have removed the link to it. */
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

/** On Windows a shim instead of a link: Windows cannot replace a running program, and npm may run on it. */
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

const madeStampFile = join(root, 'node_modules', '.made-from-openapi');

const isMadeFromOpenapi = () => readText(madeStampFile) === madeStamp();

function madeStamp() {
  const folders = ['scripts/clients', 'scripts/docs', 'docs/reference'];
  const files = [
    ...['openapi.json', 'scripts/from-openapi.ts', 'scripts/sdk-types.ts', 'sdk/src/api-types.ts'],
    ...['_operations', 'api_types'].map((name) => `clients/python/src/sellthrough/${name}.py`),
    ...['Reseller', 'Admin', 'Product', 'TestMode'].map((name) => `clients/php/src/${name}Operations.php`),
    ...['ErrorCode', 'Shapes'].map((name) => `clients/php/src/${name}.php`),
    ...['src/platform/http/openapi-errors.ts', 'src/platform/http/openapi-names.ts'],
    ...folders.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true })
        .filter((name) => /\.\w+$/.test(name))
        .map((name) => `${folder}/${name}`),
    ),
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

function readText(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/** Builds the documents while the service starts and serves, so that the first order does not wait for them. */
function buildDocumentsLater(node) {
  const child = spawn(node, [join(root, 'scripts', 'build-pages.mjs')], { detached: true, stdio: 'ignore' });
  child.on('error', () => undefined); // if it fails, /docs says that the documents are missing
  try {
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The child has already ended, or the system has no priorities.
  }
  child.unref();
}

function say(sentence) {
  process.stderr.write(`${sentence}\n`);
}

/** Prints one sentence for expected problems, otherwise the stack. Returns the exit code. */
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
    // Start the script with the chosen Node by its path, because a shell may have cached the old one's.
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
