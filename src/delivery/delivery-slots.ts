// How many deliveries are under way at once, and whose turn it is. Endpoints wait in two lines: those that answer promptly,
// and laggards, which failed last or take long. Each line is served in turn, and laggards have few slots: three hundred
// endpoints that hang for ten seconds each delay nobody else.

export interface SlotLimits {
  readonly promptMax: number;
  readonly laggardsMax: number;
  /** Of both, those that became laggards while they were under way included. */
  readonly inFlightMax: number;
  /** What takes longer is a laggard. */
  readonly promptMilliseconds: number;
}

export interface Waiting {
  readonly isLaggard: boolean;
}

export interface DeliverySlots<Endpoint extends Waiting> {
  /** Behind whoever waits; once. */
  enter(endpoint: Endpoint): void;
  leave(endpoint: Endpoint): void;
  /** Who may begin now; null: nobody. Their slot is taken until `end`. */
  begin(): Endpoint | null;
  end(endpoint: Endpoint): void;
  /** Whoever takes long gives their slot to the next. */
  demoteSlow(): void;
  inFlight(): number;
  isWaiting(endpoint: Endpoint): boolean;
}

export function createDeliverySlots<Endpoint extends Waiting>(
  limits: SlotLimits,
  monotonicNow: () => number,
): DeliverySlots<Endpoint> {
  // Sets keep the order in which they were filled.
  const lines = { prompt: new Set<Endpoint>(), laggards: new Set<Endpoint>() };
  const underWay = { prompt: new Map<Endpoint, number>(), laggards: new Set<Endpoint>() };
  const inFlight = () => underWay.prompt.size + underWay.laggards.size;

  const takeFirst = (line: Set<Endpoint>): Endpoint | null => {
    const [first] = line;
    if (first === undefined) return null;
    line.delete(first);
    return first;
  };

  return {
    enter: (endpoint) => (endpoint.isLaggard ? lines.laggards : lines.prompt).add(endpoint),
    leave(endpoint) {
      lines.prompt.delete(endpoint);
      lines.laggards.delete(endpoint);
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
      const laggard = takeFirst(lines.laggards);
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
        // In the order in which they began.
        if (begunAt > before) break;
        underWay.prompt.delete(endpoint);
        underWay.laggards.add(endpoint);
      }
    },
    inFlight,
    isWaiting: (endpoint) => lines.prompt.has(endpoint) || lines.laggards.has(endpoint),
  };
}
