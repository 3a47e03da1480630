// doctor's check of the shared limits server: connects like the service and runs the script without changing anything.

import { answerNumbers } from '../../platform/limits/limit-operations.ts';
import { type ValkeyAddress, valkeyName } from '../../platform/limits/valkey-address.ts';
import { openValkey, type ValkeyConnection } from '../../platform/limits/valkey-client.ts';
import type { Check } from '../../setup/checks/doctor-check.ts';
import { defaultLimits } from '../../setup/config.ts';

const name = 'shared limits';
const silenceMilliseconds = 3_000;
/** The first version in which SET has KEEPTTL. */
const oldestMajor = 6;

export async function checkValkey(address: ValkeyAddress): Promise<Check> {
  const server = valkeyName(address);
  let connection: ValkeyConnection | null = null;
  const silence = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => silence.reject(new Error(`no answer within ${silenceMilliseconds / 1000} s`)),
    silenceMilliseconds,
  );
  try {
    connection = await openValkey(address, {
      connectMilliseconds: silenceMilliseconds,
      onBroken: (reason) => silence.reject(new Error(reason)),
    });
    const info = await Promise.race([connection.command('INFO'), silence.promise]);
    const problem = settingProblem(server, readInfo(String(info)));
    if (problem !== null) return problem;
    const words = [defaultLimits.sharedLimits.leaseMilliseconds * 1000];
    answerNumbers(await Promise.race([connection.run({ keys: [], words }), silence.promise]));
    return {
      name,
      state: 'ok',
      says: `${versionOf(readInfo(String(info)))} at ${server}, and nothing is evicted`,
    };
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
    const says = `${server} cannot be used (${reason}), so each process counts for itself: check VALKEY_URL`;
    return { name, state: 'fail', says };
  } finally {
    clearTimeout(timer);
    connection?.close();
    silence.promise.catch(() => undefined);
  }
}

function readInfo(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split('\r\n').flatMap((line) => {
      const [, key, value] = /^([^#:]+):(.*)$/.exec(line) ?? [];
      return key === undefined || value === undefined ? [] : [[key, value] as const];
    }),
  );
}

function versionOf(info: ReadonlyMap<string, string>): string {
  const valkey = info.get('valkey_version');
  return valkey === undefined ? `Redis ${info.get('redis_version')}` : `Valkey ${valkey}`;
}

function settingProblem(server: string, info: ReadonlyMap<string, string>): Check | null {
  const version = versionOf(info);
  if (Number.parseInt(info.get('redis_version') ?? '0', 10) < oldestMajor) {
    return {
      name,
      state: 'fail',
      says: `${version} at ${server} is too old: Redis 6 or newer, or Valkey, is needed`,
    };
  }
  if (info.get('role') === 'slave') {
    const says = `${server} is a read-only replica: VALKEY_URL must point to the primary`;
    return { name, state: 'fail', says };
  }
  if (info.get('cluster_enabled') === '1') {
    const says = `${server} is part of a cluster, which is not supported: VALKEY_URL must point to a single server`;
    return { name, state: 'fail', says };
  }
  const policy = info.get('maxmemory_policy') ?? 'unknown';
  if (policy !== 'noeviction') {
    const says = `${version} at ${server} has the maxmemory-policy ${policy}, so evictions would lose counts and limits would not hold: set noeviction`;
    return { name, state: 'warn', says };
  }
  return null;
}
