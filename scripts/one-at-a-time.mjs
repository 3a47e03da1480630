// Set-up of a checkout by one process at a time: prepare.mjs installs and build-pages.mjs builds inside it. The lock
// is a folder, because making one is atomic everywhere, even between containers that share the checkout.
// Always true: whoever holds the lock touches it every second; a lock that nobody has touched for a while and whose
// program is gone belongs to a process that was killed, and is taken away.
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
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const beatMilliseconds = 1_000;
const pollMilliseconds = 200;
const silenceMilliseconds = 15_000;
// A program whose parent was killed goes on by itself. Past this long its number may be somebody else's.
const orphanMilliseconds = 10 * 60_000;

/** A failure that one sentence explains; no stack is printed for it. */
export class CannotPrepare extends Error {}

/** @throws CannotPrepare where this user may not write to the checkout */
export async function oneAtATime(work) {
  for (let waits = false; !takeLock(); waits = true) {
    if (!waits) process.stderr.write('Waiting for another set-up of this checkout …\n');
    await delay(pollMilliseconds);
  }
  const beat = setInterval(() => {
    if (existsSync(lock)) utimesSync(lock, new Date(), new Date());
  }, beatMilliseconds);
  try {
    await work();
  } finally {
    clearInterval(beat);
    rmSync(lock, { recursive: true, force: true });
  }
}

/**
 * Runs a program inside it, to its end: a signal is passed on, and the lock is kept until the program is gone, even
 * when this process is killed. Returns what went wrong, with what the program printed; undefined when nothing did.
 */
export async function runToTheEnd(command, args, options) {
  // Before there is anything to pass it on to: a signal in between would end this process and leave the lock behind.
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
      renameSync(lock, taken); // of several at it, one succeeds
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
