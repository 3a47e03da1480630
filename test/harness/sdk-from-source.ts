// Loaded with --import before a sample of the documents: `@sellthrough/client` is the client of this checkout, from
// its sources, wherever the sample lies.

import { registerHooks } from 'node:module';

const source = new URL('../../sdk/src/index.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier === '@sellthrough/client'
      ? { url: source, shortCircuit: true }
      : nextResolve(specifier, context),
});
