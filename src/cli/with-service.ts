// Calls a running service through the SDK. Keys never come from arguments: every user of the machine can read those.

import { randomBytes } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { isSellthroughError, Sellthrough, type SellthroughError } from '../../sdk/src/index.ts';
import type { Environment } from '../setup/settings.ts';
import { CommandFailed, endWell, exitCodes } from './command-end.ts';
import { commandIo } from './command-io.ts';

const retriesMax = 3;
const wholeCallMilliseconds = 30_000;

export function withService(work: (service: Sellthrough) => Promise<void>): Promise<void> {
  return endWell(async () => {
    const apiKey = commandIo().env['SELLTHROUGH_KEY'] || commandIo().env['ADMIN_API_KEY'];
    if (!apiKey) {
      throw new CommandFailed(
        'SELLTHROUGH_KEY is missing. Set it to your API key, in the environment or in .env.',
        exitCodes.usage,
      );
    }
    const service = new Sellthrough({
      baseUrl: serviceAddress(commandIo().env),
      apiKey,
      retries: retriesMax,
      totalTimeoutMs: wholeCallMilliseconds,
    });
    try {
      await work(service);
    } catch (error) {
      if (!isSellthroughError(error)) throw error;
      throw new CommandFailed(messageOfRefusal(error), exitCodeOf(error), { cause: error });
    }
  });
}

/** SELLTHROUGH_URL, or the service configured in this folder. */
export function serviceAddress(environment: Environment): string {
  const chosen = environment['SELLTHROUGH_URL'];
  if (chosen) {
    const url = URL.parse(chosen);
    if (url === null || !['http:', 'https:'].includes(url.protocol)) {
      throw new CommandFailed(
        `SELLTHROUGH_URL must be an address such as https://resell.example.com, not "${chosen}".`,
        exitCodes.usage,
      );
    }
    return chosen;
  }
  const host = environment['HOST'] || '127.0.0.1';
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${environment['PORT'] || '3000'}`;
}

/** Printed with the answer, so that the command can be repeated. */
export function mintIdempotencyKey(): string {
  return `cli_${randomBytes(12).toString('base64url')}`;
}

function exitCodeOf({ code, status, attempts }: SellthroughError) {
  if (attempts === 0) return exitCodes.usage;
  const isRefusal =
    status !== null && status < 500 && code !== 'rate_limited' && code !== 'unexpected_answer';
  return isRefusal ? exitCodes.refused : exitCodes.unreachable;
}

/** "Too many requests. Retry in 12 s: limit 60, window_seconds 60 (rate_limited, request 0f…)." */
function messageOfRefusal({
  message,
  code,
  details,
  requestId,
  attempts,
  idempotencyKey,
  mayHaveHappened,
}: SellthroughError) {
  const facts = Object.entries(details)
    .map(([name, value]) => ({ name, text: typeof value === 'object' ? value.join(', ') : String(value) }))
    .filter(({ text }) => !message.includes(text))
    .map(({ name, text }) => `${name} ${text}`);
  const said = message.replace(/\.$/, '');
  const again =
    mayHaveHappened && idempotencyKey !== null
      ? ` It may have been executed. Repeat the command with --idempotency-key ${idempotencyKey}; it is never charged twice.`
      : '';
  return `${said}${facts.length === 0 ? '' : `: ${facts.join(', ')}`} (${code}${attempts === 0 ? '' : `, request ${requestId}`}).${again}`;
}
