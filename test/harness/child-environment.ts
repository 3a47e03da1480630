// The environment of programs under test: only PATH and Node's compile cache, which saves most of a start. Also chooses the
// file to start: the one that `npm test` bundled (scripts/tested-program.ts), or the source.

import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundledPath } from '../../scripts/tested-program.ts';

const { PATH, NODE_COMPILE_CACHE } = process.env;

export const childEnvironment: Readonly<Record<string, string | undefined>> = {
  PATH,
  ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
};

/** `file` is relative to the checkout. */
export function programFile(file: string): string {
  const isBundled = (process.env['TEST_PROGRAM'] ?? '') !== '';
  return isBundled ? bundledPath(file) : sourceFile(file);
}

/** Starts from source, for tests of the start itself. */
export function sourceFile(file: string): string {
  return fileURLToPath(new URL(file, root));
}

export function preloadAddress(file: string): string {
  return pathToFileURL(programFile(file)).href;
}

const root = new URL('../../', import.meta.url);
