// What a run of the deliverer is doing. Invariant: it changes only along the table below; anything else throws.

const successors = {
  /** Reads the endpoints; those it has are sent to already. */
  loading: ['delivering', 'draining', 'failed'],
  delivering: ['draining', 'failed'],
  /** Sends nothing more; requests under way may end. */
  draining: ['closing', 'failed'],
  /** Writes its last attempts; an answer that arrives now is dropped. */
  closing: ['ended', 'failed'],
  ended: [],
  failed: [],
} as const satisfies Record<string, readonly string[]>;

export type DeliveryMode = keyof typeof successors;

export interface RunMode {
  is(...modes: readonly DeliveryMode[]): boolean;
  /** Whether requests may begin. */
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
