// The password that was typed at sign-in, so that the page after it does not ask for it again. Only in memory.

const keptMilliseconds = 30_000;
let typed: string | null = null;
let forgetting: ReturnType<typeof setTimeout> | undefined;

export function keepTypedPassword(password: string): void {
  typed = password;
  clearTimeout(forgetting);
  forgetting = setTimeout(() => {
    typed = null;
  }, keptMilliseconds);
}

/** null after a reload, and half a minute after the sign-in. */
export function typedPassword(): string | null {
  return typed;
}
