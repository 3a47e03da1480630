// What a program under test inherits of this process's environment: nothing but where programs are, and what Node has
// compiled already, which is most of what a start would compute.

const { PATH, NODE_COMPILE_CACHE } = process.env;

export const childEnvironment: Readonly<Record<string, string | undefined>> = {
  PATH,
  ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
};

/**
 * For Node, before the program: one that lives for seconds does not repay that PostgreSQL's WebAssembly, where it is
 * embedded, is compiled a second time to run faster, nor that functions are checked which it never runs. It is a third of
 * what such a process computes.
 */
export const childFlags: readonly string[] = ['--liftoff-only', '--wasm-lazy-validation'];
