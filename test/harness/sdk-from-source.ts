// A preload for samples (--import) that resolves `@sellthrough/client` to this checkout's sources.

import { registerHooks } from 'node:module';

const source = new URL('../../sdk/src/index.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier === '@sellthrough/client'
      ? { url: source, shortCircuit: true }
      : nextResolve(specifier, context),
});
