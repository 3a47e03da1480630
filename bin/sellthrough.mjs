#!/usr/bin/env node
// The command `sellthrough`: finds a Node that can run the program, and runs it. In a checkout that is
// src/sellthrough.ts, after setting the checkout up where needed; in an installed package the JavaScript
// built from it. Plain JavaScript, because an old Node starts it.
// Invariant: arguments, standard streams, signals and the exit code pass through unchanged.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { explain, prepare } from '../scripts/prepare.mjs';

const source = fileURLToPath(new URL('../src/sellthrough.ts', import.meta.url));
const built = fileURLToPath(new URL('../dist/src/sellthrough.js', import.meta.url));
// A package holds no sources; a checkout may hold an old build beside its sources.
const isCheckout = existsSync(source);
// Room for young objects, and old ones are collected before the heap has doubled: less memory under load, and less
// work (docs/performance.md).
const flags = ['--max-semi-space-size=16', '--heap-growing-percent=100'];
const preload = new URL('../scripts/compile-cache.mjs', import.meta.url).href;

try {
  run(await prepare({ development: false }));
} catch (error) {
  process.exitCode = explain(error);
}

function run(node) {
  const program = isCheckout ? source : built;
  const child = spawn(node, [...flags, '--import', preload, program, ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  // A terminal sends Ctrl-C to both processes; passing it on would deliver it twice, and twice means "at once".
  const fromTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (!(fromTerminal && signal === 'SIGINT')) child.kill(signal);
    });
  }
  child.on('error', (error) => {
    process.exitCode = explain(error);
  });
  child.on('exit', (code, signal) => {
    process.exit(code ?? 128 + constants.signals[signal]);
  });
}
