// Writes one JSON log line per request. The line is built by hand, because the logger took half the cost of a small answer.
// Lines of one event-loop turn leave in one write.
// Invariant: of the values a client can choose, only a request id of safe characters and its address (escaped) are logged.

export interface AccessLine {
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number | null;
  readonly address: string;
  readonly code: string | null;
  readonly accountId: number | null;
  /** The account whose panel an administrator is viewing. */
  readonly viewedId: number | null;
}

export interface AccessLog {
  write(line: AccessLine): void;
}

/** Each text ends with a line feed. */
export interface LogOutput {
  write(text: string): unknown;
}

export function createAccessLog(output: LogOutput): AccessLog {
  let waiting: string[] = [];

  function writeAll(): void {
    const text = waiting.join('');
    waiting = [];
    output.write(text);
  }

  return {
    write({ requestId, method, route, status, milliseconds, address, code, accountId, viewedId }) {
      if (waiting.length === 0) setImmediate(writeAll);
      const refused = code === null ? '' : `,"code":"${code}"`;
      const viewed = viewedId === null ? '' : `,"viewed_account":${viewedId}`;
      const account = accountId === null ? '' : `,"account":${accountId}${viewed}`;
      waiting.push(
        `{"level":"info"${timeMember()},"service":"sellthrough","reqId":"${requestId}","method":"${method}",` +
          `"route":"${route}","status":${status},"milliseconds":${milliseconds === null ? null : Math.round(milliseconds * 10) / 10},` +
          `"address":${JSON.stringify(address)}${refused}${account},"msg":"request"}\n`,
      );
    },
  };
}

let lastTime = Number.NaN;
let lastMember = '';

/** `,"time":"…"`, cached for one millisecond. The logger's other lines use it too. */
export function timeMember(): string {
  const now = Date.now();
  if (now !== lastTime) {
    lastTime = now;
    lastMember = `,"time":"${new Date(now).toISOString()}"`;
  }
  return lastMember;
}
