// Makes a checkout ready to run: npm runs it before `start`, `test` and `check`, bin/sellthrough.mjs before
// every command. It installs the dependencies from the lockfile when they are missing or outdated and, on a
// machine whose Node is too old, fetches Node 24 and puts it first in npm's PATH (node_modules/.bin/node).
// Plain JavaScript without dependencies, because it runs on Node 18 and before anything is installed.
// `--pages` also builds the pages of the panel and the documents (build-pages.mjs), `--start` does that too but leaves out
// what only development needs (half of the download), `--package` builds what `npm pack` ships (build-package.mjs).
// An installed package brings its dependencies along (docs/decisions/0008-packaging.md): there only Node is looked after.
// Always true: silent and quick when there is nothing to do; it writes to stderr only; two runs at once take
// turns; what an interrupted run left behind is repaired by the next one.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const node24Folder = join(root, 'scripts', 'node24');
const lockFolder = join(root, '.prepare-lock');
const stampName = '.prepared';
const dependencyParts = ['dependencies', 'devDependencies', 'optionalDependencies'];
const onWindows = process.platform === 'win32';

// The first release of the 24 line that runs TypeScript sources as a stable feature.
const oldestNode = [24, 12];
const lockBeatMilliseconds = 1_000;
const lockStaleAfterMilliseconds = 15_000;
const lockPollMilliseconds = 200;

/** A failure that one sentence explains; no stack is printed for it. */
class CannotPrepare extends Error {}

/**
 * Installs what is missing and returns the path of a Node that runs the sources.
 * `development: false` is content with an install that left the development dependencies out.
 * @throws CannotPrepare
 */
export async function prepare({ development }) {
  refuseAncientNode();
  if (!isPrepared(development)) {
    const unlock = await takeLock();
    try {
      // Another run may have done the work while this one waited.
      if (!dependenciesAreReady(development)) await installDependencies(development);
      if (needsNode24()) {
        if (!node24IsInstalled()) await installNode24();
        if (!node24IsFirst()) putNode24First();
      }
    } finally {
      unlock();
    }
  }
  return needsNode24() ? node24Binary() : process.execPath;
}

/**
 * The same for an installed package: returns the path of a Node that runs it, fetched into the package's folder
 * where this machine's is too old.
 * @throws CannotPrepare
 */
export async function prepareInstalled() {
  refuseAncientNode();
  if (!needsNode24()) return process.execPath;
  if (!node24IsInstalled()) {
    const unlock = await takeLock();
    try {
      if (!node24IsInstalled()) await installNode24();
    } finally {
      unlock();
    }
  }
  return node24Binary();
}

function refuseAncientNode() {
  if (Number(process.versions.node.split('.')[0]) < 18) {
    throw new CannotPrepare(
      `Sellthrough needs Node 18 or newer to start; this machine has ${process.version}.`,
    );
  }
}

function isPrepared(development) {
  return dependenciesAreReady(development) && (!needsNode24() || (node24IsInstalled() && node24IsFirst()));
}

// ---- dependencies

function dependenciesAreReady(development) {
  if (readText(join(root, 'node_modules', stampName)) === dependencyStamp()) return true;
  // Somebody ran `npm ci` or `npm install` by hand: npm's own record of what it installed tells.
  const installed = readText(join(root, 'node_modules', '.package-lock.json'));
  if (installed === undefined || !lockfileIsCurrent()) return false;
  if (missingPackages(root, JSON.parse(installed), development).length > 0) return false;
  if (development) writeStamp(root, dependencyStamp());
  return true;
}

async function installDependencies(development) {
  say('Installing dependencies from the lockfile …');
  // Taken off first: npm removes node_modules entry by entry, and may be interrupted in between.
  rmSync(join(root, 'node_modules', stampName), { force: true });
  rmSync(join(root, 'node_modules', '.package-lock.json'), { force: true });
  await npmCi(root, 'The dependencies are not installed', development);
  if (development) writeStamp(root, dependencyStamp());
}

function dependencyStamp() {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(JSON.stringify([...dependencyParts, 'overrides', 'allowScripts'].map((part) => manifest[part])))
    .update(`${process.platform} ${process.arch}`)
    .digest('hex');
}

/** False when package.json was edited and the lockfile was not: `npm ci` says then what is wrong. */
function lockfileIsCurrent() {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages[''];
  const sorted = (list) => JSON.stringify(Object.entries(list ?? {}).sort());
  return dependencyParts.every((part) => sorted(manifest[part]) === sorted(locked[part]));
}

/**
 * The packages of a folder's lockfile that this machine needs and npm did not install. npm itself passes over
 * an optional package it could not fetch, although the compiler and the linter arrive as such packages.
 */
function missingPackages(folder, installed, development) {
  const wanted = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages;
  const libc = process.platform === 'linux' ? linuxLibc() : undefined;
  const fits = (list, value) => {
    if (list === undefined || value === undefined) return true;
    const names = [list].flat();
    return (
      names.includes(value) || (names.every((name) => name.startsWith('!')) && !names.includes(`!${value}`))
    );
  };
  return Object.keys(wanted).filter((path) => {
    const entry = wanted[path];
    if (path === '' || entry.link) return false;
    if (!development && (entry.dev || entry.devOptional)) return false;
    if (entry.optional && entry.os === undefined && entry.cpu === undefined) return false;
    if (!fits(entry.os, process.platform) || !fits(entry.cpu, process.arch) || !fits(entry.libc, libc))
      return false;
    const found = installed.packages?.[path];
    return found?.version !== entry.version || found?.integrity !== entry.integrity;
  });
}

function linuxLibc() {
  return process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';
}

// ---- Node 24

/** True also when this very process runs on the fetched Node: `npm ci` may just have removed its link. */
function needsNode24() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const tooOld = major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1]);
  return tooOld || realPath(process.execPath).startsWith(realPath(node24Folder) + sep);
}

function node24IsInstalled() {
  return (
    readText(join(node24Folder, 'node_modules', stampName)) === node24Stamp() && existsSync(node24Binary())
  );
}

async function installNode24() {
  const fitting = node24Package();
  if (fitting === undefined) {
    throw new CannotPrepare(
      `Sellthrough needs Node ${oldestNode.join('.')} or newer. This machine has ${process.version}, and no Node ` +
        `package exists for ${process.platform} ${process.arch}: install Node 24 and run this again.`,
    );
  }
  say(`Fetching Node 24 (this machine has ${process.version}) …`);
  rmSync(join(node24Folder, 'node_modules', stampName), { force: true });
  await npmCi(node24Folder, `Sellthrough needs Node 24 and this machine has ${process.version}`, false);
  const trial = spawnSync(node24Binary(), ['--version'], { encoding: 'utf8' });
  if (trial.status !== 0) {
    throw new CannotPrepare(
      `Sellthrough needs Node ${oldestNode.join('.')} or newer. This machine has ${process.version}, and the fetched ` +
        `Node (${fitting.name} ${fitting.version}) does not run here: install Node 24 and run this again.`,
    );
  }
  writeStamp(node24Folder, node24Stamp());
}

function node24Stamp() {
  return createHash('sha256')
    .update(readFileSync(join(node24Folder, 'package-lock.json')))
    .update(`${process.platform} ${process.arch}`)
    .digest('hex');
}

/** The package of the lockfile made for this machine: `{name, version, bin}`. */
function node24Package() {
  const { packages } = JSON.parse(readFileSync(join(node24Folder, 'package-lock.json'), 'utf8'));
  for (const [path, entry] of Object.entries(packages)) {
    if (entry.os === undefined) continue;
    if (![entry.os].flat().includes(process.platform) || ![entry.cpu].flat().includes(process.arch)) continue;
    return { name: basename(path), version: entry.version, bin: entry.bin.node };
  }
  return undefined;
}

function node24Binary() {
  const fitting = node24Package();
  return join(node24Folder, 'node_modules', fitting?.name ?? '', fitting?.bin ?? 'bin/node');
}

function node24IsFirst() {
  const link = join(root, 'node_modules', '.bin', 'node');
  if (onWindows) return readText(`${link}.cmd`) === windowsShim();
  try {
    return readlinkSync(link) === relative(dirname(link), node24Binary());
  } catch (error) {
    return error.code === 'EINVAL'; // not a link: the copy made where links are refused
  }
}

function putNode24First() {
  const link = join(root, 'node_modules', '.bin', 'node');
  mkdirSync(dirname(link), { recursive: true });
  if (onWindows) {
    // A shim and not the program itself: a program that runs cannot be replaced there, and npm may run on it.
    writeFileSync(link, `#!/bin/sh\nexec "${node24Binary().replaceAll('\\', '/')}" "$@"\n`);
    writeFileSync(`${link}.cmd`, windowsShim());
    return;
  }
  // Renamed into place, so that a process looking for `node` at this moment finds one.
  const draft = `${link}.${process.pid}`;
  rmSync(draft, { force: true });
  try {
    symlinkSync(relative(dirname(link), node24Binary()), draft);
  } catch {
    copyFileSync(node24Binary(), draft);
  }
  renameSync(draft, link);
}

function windowsShim() {
  return `@"${node24Binary()}" %*\r\n`;
}

// ---- what is built

/** On the Node that was chosen: a shell remembers where it found the old one. */
function build(node, script, whatFails) {
  const built = spawnSync(node, [join(root, 'scripts', script)], { stdio: ['ignore', 2, 2] });
  if (built.status !== 0) throw new CannotPrepare(whatFails);
}

// ---- npm

let runningChild;

async function npmCi(folder, whatFails, development) {
  const settings = [
    development ? '--include=dev' : '--omit=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--no-progress',
    '--no-update-notifier',
    '--loglevel=error', // below it npm warns of packages that ask for the Node we are about to fetch
    '--engine-strict=false',
    '--prefer-offline',
    '--fetch-retries=4',
    '--fetch-retry-factor=2',
    '--fetch-retry-mintimeout=1000',
  ];
  const { status, output } = await runNpm(['ci', `--prefix=${folder}`, ...settings], folder);
  if (status === 0) {
    const installed = JSON.parse(readText(join(folder, 'node_modules', '.package-lock.json')) ?? '{}');
    const missing = missingPackages(folder, installed, development);
    if (missing.length === 0) return;
    throw new CannotPrepare(
      `${whatFails}, and ${missing.map((path) => path.slice('node_modules/'.length)).join(', ')} could not be ` +
        'fetched from the package registry: check the network and run this again.',
    );
  }
  const network =
    /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ECONNABORTED|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT)\b/;
  const reason = network.exec(output)?.[1];
  if (reason !== undefined) {
    throw new CannotPrepare(
      `${whatFails}, and the package registry cannot be reached (${reason}): check the network and run this again.`,
    );
  }
  throw new CannotPrepare(`${whatFails}, and npm could not do it:\n${output.trim()}`);
}

function runNpm(args, folder) {
  const { command, first, shell } = findNpm();
  const env = { ...process.env };
  for (const name of Object.keys(env)) {
    // What the outer npm says of its own run (its folder, script and package) is wrong for the inner one.
    if (/^npm_(package|lifecycle|command|config_local_prefix|config_global)/i.test(name)) delete env[name];
  }
  return new Promise((resolve, reject) => {
    const words = shell ? args.map((word) => `"${word}"`) : args;
    const child = spawn(command, [...first, ...words], {
      cwd: folder,
      env,
      shell,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => {
      reject(
        error.code === 'ENOENT' ? new CannotPrepare('npm was not found: install Node with its npm.') : error,
      );
    });
    child.on('close', (status) => {
      runningChild = undefined;
      resolve({ status, output });
    });
    runningChild = child;
    noteLockOwner();
  });
}

/** The npm that runs this script, so that its version and settings hold here too; else the one in PATH. */
function findNpm() {
  const running = process.env.npm_execpath;
  if (running !== undefined && basename(running) === 'npm-cli.js' && existsSync(running)) {
    return { command: process.execPath, first: [running], shell: false };
  }
  return { command: 'npm', first: [], shell: onWindows };
}

// ---- one run at a time

/** Takes the lock of this checkout, waiting while another run holds it. Returns the function that frees it. */
async function takeLock() {
  let waited = false;
  while (!tryLock()) {
    if (!waited) say('Waiting for another set-up of this checkout …');
    waited = true;
    await new Promise((resolve) => setTimeout(resolve, lockPollMilliseconds));
  }
  const beat = setInterval(() => {
    const now = new Date();
    try {
      utimesSync(lockFolder, now, now);
    } catch {
      // The folder was removed by hand: nothing to keep fresh.
    }
  }, lockBeatMilliseconds);
  const onSignal = (signal) => {
    // npm is let finish dying before the lock is freed: nobody else may write the same folder meanwhile.
    const leave = () => {
      unlock();
      process.exit(signal === 'SIGINT' ? 130 : 143);
    };
    if (runningChild === undefined) return leave();
    runningChild.once('close', leave);
    runningChild.kill(signal);
  };
  const unlock = () => {
    clearInterval(beat);
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
    rmSync(lockFolder, { recursive: true, force: true });
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return unlock;
}

function tryLock() {
  try {
    mkdirSync(lockFolder);
    noteLockOwner();
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw cannotWrite(error);
  }
  return lockIsStale() && takeOver();
}

function noteLockOwner() {
  const pids = [process.pid, runningChild?.pid].filter((pid) => pid !== undefined);
  writeFileSync(join(lockFolder, 'owner.json'), JSON.stringify({ host: hostname(), pids }));
}

/** An owner that died leaves its npm running for a while: the lock is stale when both are gone. */
function lockIsStale() {
  let age;
  try {
    age = Date.now() - statSync(lockFolder).mtimeMs;
  } catch {
    return false; // freed this moment
  }
  const text = readText(join(lockFolder, 'owner.json'));
  if (!text) return age > lockStaleAfterMilliseconds;
  const owner = JSON.parse(text);
  if (owner.host !== hostname()) return age > lockStaleAfterMilliseconds;
  return !owner.pids.some(isAlive);
}

/** Of several that find the lock stale, the one that makes the inner folder has it, if it still is stale then. */
function takeOver() {
  const claim = join(lockFolder, 'takeover');
  try {
    mkdirSync(claim);
  } catch {
    // Someone else is at it, or was killed at it.
    const claimed = statSync(claim, { throwIfNoEntry: false });
    if (claimed && Date.now() - claimed.mtimeMs > lockStaleAfterMilliseconds)
      rmSync(claim, { recursive: true, force: true });
    return false;
  }
  const stillStale = readOwnerIsGone();
  if (stillStale) noteLockOwner();
  rmdirSync(claim);
  return stillStale;
}

// Not lockIsStale: making the claim has just renewed the folder's time.
function readOwnerIsGone() {
  const text = readText(join(lockFolder, 'owner.json'));
  if (!text) return true;
  const owner = JSON.parse(text);
  return owner.host !== hostname() || !owner.pids.some(isAlive);
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

// ---- small things

function cannotWrite(error) {
  return new CannotPrepare(
    `Sellthrough is not set up yet, and this user may not write to ${root} (${error.code}): run this once as its owner.`,
  );
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function writeStamp(folder, stamp) {
  try {
    writeFileSync(join(folder, 'node_modules', stampName), stamp);
  } catch (error) {
    // A folder that only its owner may write is as good without the stamp: it is compared again next time.
    if (error.code !== 'EACCES' && error.code !== 'EROFS' && error.code !== 'EPERM') throw error;
  }
}

function realPath(path) {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function say(sentence) {
  process.stderr.write(`${sentence}\n`);
}

/** Prints what went wrong: a sentence for what was foreseen, the stack for the rest. Returns the exit code. */
export function explain(error) {
  say(error instanceof CannotPrepare ? error.message : error.stack);
  return 1;
}

if (process.argv[1] !== undefined && realPath(process.argv[1]) === realPath(fileURLToPath(import.meta.url))) {
  try {
    const isStart = process.argv.includes('--start');
    const node = await prepare({ development: !isStart });
    const isPackage = process.argv.includes('--package');
    if (isStart || isPackage || process.argv.includes('--pages'))
      build(node, 'build-pages.mjs', 'The pages of the panel were not built.');
    if (isPackage) build(node, 'build-package.mjs', 'The package was not built.');
  } catch (error) {
    process.exitCode = explain(error);
  }
}
