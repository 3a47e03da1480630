// What a program under test inherits of this process's environment: nothing but where programs are, and what Node has
// compiled already, which is most of what a start would compute. And which file of it is started: the one in the bundle that
// `npm test` has built (scripts/tested-program.ts), or the source where there is none.

import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundledPath } from '../../scripts/tested-program.ts';

const { PATH, NODE_COMPILE_CACHE } = process.env;

export const childEnvironment: Readonly<Record<string, string | undefined>> = {
  PATH,
  ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
};

/** The path of a file that is started as a process; `file`: below the checkout. */
export function programFile(file: string): string {
  const isBundled = (process.env['TEST_PROGRAM'] ?? '') !== '';
  return isBundled ? bundledPath(file) : sourceFile(file);
}

/** As a user of the checkout starts it: for tests of the start itself. */
export function sourceFile(file: string): string {
  return fileURLToPath(new URL(file, root));
}

/** What is loaded before that file (node --import). */
export function preloadAddress(file: string): string {
  return pathToFileURL(programFile(file)).href;
}

const root = new URL('../../', import.meta.url);
