// A lock for preparing a checkout: prepare.mjs installs and build-pages.mjs builds inside it. The lock is a folder, because
// mkdir is atomic everywhere, even between containers that share the checkout.
// Invariant: the holder touches the lock every second. If a lock was not touched for a while and its program is gone, its
// process was killed and the lock is removed.
import { spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const lock = join(root, '.prepare-lock');
const programsFile = join(lock, 'programs');
/** Set for the programs that the holder runs. Without it they would wait forever for its lock. */
const insideVariable = 'SELLTHROUGH_PREPARE_LOCK';
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const beatMilliseconds = 1_000;
const pollMilliseconds = 200;
const silenceMilliseconds = 15_000;
// A program continues if its parent is killed. After this time its process id may belong to another program.
const orphanMilliseconds = 10 * 60_000;

/** A failure that one sentence explains. It is printed without a stack. */
export class CannotPrepare extends Error {}

export async function oneAtATime(work) {
  if (process.env[insideVariable] === lock) return work();
  for (let waits = false; !takeLock(); waits = true) {
    if (!waits) process.stderr.write('Waiting for another set-up of this checkout …\n');
    await delay(pollMilliseconds);
  }
  process.env[insideVariable] = lock;
  const beat = setInterval(() => {
    if (existsSync(lock)) utimesSync(lock, new Date(), new Date());
  }, beatMilliseconds);
  try {
    await work();
  } finally {
    clearInterval(beat);
    delete process.env[insideVariable];
    rmSync(lock, { recursive: true, force: true });
  }
}

/**
 * Runs a program inside the lock and passes signals on. The lock is kept until the program ends, even if this process is
 * killed. Returns the problem with the program's output, or undefined after success.
 */
export async function runToTheEnd(command, args, options) {
  // Listen before the program starts: a signal in between would end this process and leave the lock behind.
  let child;
  const pass = (signal) => child.kill(signal);
  for (const signal of signals) process.on(signal, pass);
  try {
    child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    if (child.pid !== undefined) appendFileSync(programsFile, `${child.pid}\n`);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
    return await new Promise((resolve) => {
      child.on('error', ({ message }) => resolve(`could not be started: ${message}`));
      child.on('close', (status, signal) => {
        if (status === 0) resolve(undefined);
        else resolve(signal ? `was ended by ${signal}` : `failed:\n${output.trim()}`);
      });
    });
  } finally {
    for (const signal of signals) process.off(signal, pass);
  }
}

function takeLock() {
  try {
    mkdirSync(lock);
    return true;
  } catch ({ code }) {
    if (code !== 'EEXIST')
      throw new CannotPrepare(
        `Sellthrough is not set up yet, and this user may not write to ${root} (${code}): run this once as its owner.`,
      );
  }
  if (isAbandoned()) {
    const taken = `${lock}.${process.pid}`;
    try {
      renameSync(lock, taken); // of several processes, one succeeds
      rmSync(taken, { recursive: true });
    } catch ({ code }) {
      if (code !== 'ENOENT') throw new CannotPrepare(`${lock} cannot be taken away (${code}): remove it.`);
    }
  }
  return false;
}

function isAbandoned() {
  const touched = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  const silence = Date.now() - (touched ?? Date.now());
  return silence > orphanMilliseconds || (silence > silenceMilliseconds && !programLives());
}

function programLives() {
  if (!existsSync(programsFile)) return false;
  return readFileSync(programsFile, 'utf8')
    .split('\n')
    .some((pid) => pid !== '' && isAlive(Number(pid)));
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch ({ code }) {
    return code === 'EPERM';
  }
}
