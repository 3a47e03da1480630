import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundledPath } from '../../scripts/tested-program.ts';

const { PATH, NODE_COMPILE_CACHE } = process.env;

export const childEnvironment: Readonly<Record<string, string | undefined>> = {
  PATH,
  ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
};

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
