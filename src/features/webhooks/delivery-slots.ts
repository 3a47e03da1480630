// Limits concurrent deliveries and decides whose turn it is. Laggards (endpoints that failed last or are slow) share a few
// slots, which their accounts take in turns, so that one account's hanging endpoints delay another account's slow ones by
// one turn only.

export interface SlotLimits {
  readonly promptMax: number;
  readonly laggardsMax: number;
  readonly laggardsOfAccountMax: number;
  /** The limit for both kinds together, including endpoints that became laggards during a request. */
  readonly inFlightMax: number;
  readonly promptMilliseconds: number;
}

export interface Waiting {
  readonly accountId: number;
  readonly isLaggard: boolean;
}

export interface DeliverySlots<Endpoint extends Waiting> {
  enter(endpoint: Endpoint): void;
  leave(endpoint: Endpoint): void;
  /** Returns null if no endpoint may begin. The slot is held until `end`. */
  begin(): Endpoint | null;
  end(endpoint: Endpoint): void;
  demoteSlow(): void;
  inFlight(): number;
  isWaiting(endpoint: Endpoint): boolean;
}

export function createDeliverySlots<Endpoint extends Waiting>(
  limits: SlotLimits,
  monotonicNow: () => number,
): DeliverySlots<Endpoint> {
  // Endpoints in order of arrival. Laggards are grouped by account, in the order of the accounts' turns.
  const lines = { prompt: new Set<Endpoint>(), laggards: new Map<number, Set<Endpoint>>() };
  const underWay = { prompt: new Map<Endpoint, number>(), laggards: new Set<Endpoint>() };
  const inFlight = () => underWay.prompt.size + underWay.laggards.size;

  const takeFirst = (line: Set<Endpoint>): Endpoint | null => {
    const [first] = line;
    if (first === undefined) return null;
    line.delete(first);
    return first;
  };

  const enterLaggards = (endpoint: Endpoint) => {
    const { accountId } = endpoint;
    lines.laggards.set(accountId, (lines.laggards.get(accountId) ?? new Set()).add(endpoint));
  };

  const leaveLaggards = (endpoint: Endpoint) => {
    const ofAccount = lines.laggards.get(endpoint.accountId);
    if (ofAccount?.delete(endpoint) && ofAccount.size === 0) lines.laggards.delete(endpoint.accountId);
  };

  /** Takes one from the first account below its share. That account then moves to the end. */
  const takeLaggard = (): Endpoint | null => {
    const taken = new Map<number, number>();
    for (const { accountId } of underWay.laggards) taken.set(accountId, (taken.get(accountId) ?? 0) + 1);
    for (const [accountId, ofAccount] of lines.laggards) {
      if ((taken.get(accountId) ?? 0) >= limits.laggardsOfAccountMax) continue;
      const laggard = takeFirst(ofAccount);
      lines.laggards.delete(accountId);
      if (ofAccount.size > 0) lines.laggards.set(accountId, ofAccount);
      return laggard;
    }
    return null;
  };

  return {
    enter(endpoint) {
      if (endpoint.isLaggard) enterLaggards(endpoint);
      else lines.prompt.add(endpoint);
    },
    leave(endpoint) {
      lines.prompt.delete(endpoint);
      leaveLaggards(endpoint);
    },
    begin() {
      if (inFlight() >= limits.inFlightMax) return null;
      if (underWay.prompt.size < limits.promptMax) {
        const prompt = takeFirst(lines.prompt);
        if (prompt !== null) {
          underWay.prompt.set(prompt, monotonicNow());
          return prompt;
        }
      }
      if (underWay.laggards.size >= limits.laggardsMax) return null;
      const laggard = takeLaggard();
      if (laggard !== null) underWay.laggards.add(laggard);
      return laggard;
    },
    end(endpoint) {
      underWay.prompt.delete(endpoint);
      underWay.laggards.delete(endpoint);
    },
    demoteSlow() {
      const before = monotonicNow() - limits.promptMilliseconds;
      for (const [endpoint, begunAt] of underWay.prompt) {
        if (begunAt > before) break;
        underWay.prompt.delete(endpoint);
        underWay.laggards.add(endpoint);
      }
    },
    inFlight,
    isWaiting: (endpoint) =>
      lines.prompt.has(endpoint) || lines.laggards.get(endpoint.accountId)?.has(endpoint) === true,
  };
}
