// Preloaded by test workers. node:test follows every promise and timer of a process with an async hook, to know which suite a
// test belongs to. It needs that only while a file registers its tests. After that, the hook took an eighth of the CPU time.
// Without it, an error that no one awaits fails the process instead of the test; test-lanes.ts reports it.

import asyncHooks from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';

const { createHook } = asyncHooks;
let ofTests: ReturnType<typeof createHook> | null = null;

// node:test creates its hook when it is first loaded, after this file.
asyncHooks.createHook = (callbacks) => {
  const hook = createHook(callbacks);
  ofTests ??= hook;
  return hook;
};
syncBuiltinESMExports();

/** Call it before a file's suite is created. */
export function beginRegistration(): void {
  ofTests?.enable();
}

export function endRegistration(): void {
  ofTests?.disable();
}
