// Node's flags for processes that live for seconds: those that run one file of tests (test.ts), and the programs that such
// files start (test/harness/child-environment.ts). The same for both: what Node keeps compiled is kept for each set of flags.

export const briefFlags: readonly string[] = [
  // It does not repay that PostgreSQL's WebAssembly, where it is embedded, is compiled a second time to run faster, nor
  // that functions are checked which it never runs: a third of what such a process computes.
  '--liftoff-only',
  '--wasm-lazy-validation',
  // Nor to collect garbage while it loads: V8 begins with room for a few megabytes and goes through all that it holds again
  // and again until there is room for what a start needs. A tenth of the rest.
  '--initial-old-space-size=256',
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
];
