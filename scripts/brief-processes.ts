// Node's flags for short-lived processes: test workers (test.ts) and the programs that they start
// (test/harness/child-environment.ts). The same for both, because Node's compile cache depends on the flags.

export const briefFlags: readonly string[] = [
  // Compiling embedded PostgreSQL's WebAssembly twice and validating unused functions is a third of such a process's CPU
  // time.
  '--liftoff-only',
  '--wasm-lazy-validation',
  // V8 starts with a few megabytes and collects garbage repeatedly while loading: a tenth of the rest.
  '--initial-old-space-size=256',
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
];
