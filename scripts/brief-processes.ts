// Node's flags for short-lived processes: test workers (test.ts) and the programs that they start
// (test/harness/child-environment.ts). Both need the same flags to share Node's compile cache.

/**
 * V8 starts with a small heap and collects garbage again and again while loading: a tenth of the CPU time. The embedded
 * database switches off the collection of WebAssembly code, and V8 refuses cached code that was made with other flags.
 * Compiling each function at its first call, without interpreting it first, saves 2 % in tests on PostgreSQL.
 */
export const workerFlags: readonly string[] = [
  '--no-wasm-code-gc',
  '--always-sparkplug',
  '--initial-old-space-size=256',
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
];

export const briefFlags: readonly string[] = [
  // Without these flags V8 compiles embedded PostgreSQL's WebAssembly twice and validates functions that never run. That
  // takes a third of such a process's CPU time.
  '--liftoff-only',
  '--wasm-lazy-validation',
  ...workerFlags,
];
