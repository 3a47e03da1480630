// The state of a deliverer's run.
// Invariant: only the transitions below; anything else throws.

const successors = {
  /** Reads endpoints; those read already receive events. */
  loading: ['delivering', 'draining', 'failed'],
  delivering: ['draining', 'failed'],
  /** No new requests; running ones may end. */
  draining: ['closing', 'failed'],
  /** Writes the last attempts; later answers are dropped. */
  closing: ['ended', 'failed'],
  ended: [],
  failed: [],
} as const satisfies Record<string, readonly string[]>;

export type DeliveryMode = keyof typeof successors;

export interface RunMode {
  is(...modes: readonly DeliveryMode[]): boolean;
  isSending(): boolean;
  become(next: DeliveryMode): void;
}

export function createRunMode(mode: DeliveryMode = 'loading'): RunMode {
  const is = (...modes: readonly DeliveryMode[]) => modes.includes(mode);
  return {
    is,
    isSending: () => is('loading', 'delivering'),
    become(next) {
      const allowed: readonly DeliveryMode[] = successors[mode];
      if (!allowed.includes(next)) throw new Error(`A delivery run that is ${mode} cannot become ${next}.`);
      mode = next;
    },
  };
}
