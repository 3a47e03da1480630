#!/usr/bin/env node

// The command line as a program: command-line.ts with this process's streams and settings.

import { runCommandLine } from './command-line.ts';

// Whoever reads may stop early, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const { stdin, stdout, stderr, env } = process;
const code = await runCommandLine(process.argv.slice(2), { stdin, stdout, stderr, env, cwd: process.cwd() });
// A service that ends says by itself how it went.
if (code !== 0) process.exitCode = code;
