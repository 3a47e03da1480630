#!/usr/bin/env node

// The command line as a program: command-line.ts with this process's streams and settings.

import { runCommandLine } from './command-line.ts';

// A reader such as `head` may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const { stdin, stdout, stderr, env } = process;
const code = await runCommandLine(process.argv.slice(2), { stdin, stdout, stderr, env, cwd: process.cwd() });
// A service sets its own exit code.
if (code !== 0) process.exitCode = code;
