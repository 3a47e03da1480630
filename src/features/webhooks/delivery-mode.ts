// The state of a deliverer's run. Transitions other than those below throw.

const successors = {
  /** Reads the endpoints. Those already read receive events. */
  loading: ['delivering', 'draining', 'failed'],
  delivering: ['draining', 'failed'],
  /** Starts no new requests. Running ones may end. */
  draining: ['closing', 'failed'],
  /** Answers that arrive later are dropped. */
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
