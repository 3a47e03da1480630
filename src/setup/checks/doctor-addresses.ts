// doctor's checks of the public URL and of proxies, including in containers.

import { existsSync, readFileSync } from 'node:fs';
import { createAllowList } from '../../shared/allow-list.ts';
import type { Config } from '../config.ts';
import type { Check } from './doctor-check.ts';

const name = 'public address';
const onThisMachine = createAllowList(['127.0.0.0/8', '::1']);

/** `gateway`: the default gateway inside a container, otherwise null. */
export function checkPublicUrl(
  { publicUrl, host, trustProxy }: Pick<Config, 'publicUrl' | 'host' | 'trustProxy'>,
  gateway: string | null = containerGateway(),
): Check {
  const isLocal = ['127.0.0.1', '::1', 'localhost'].includes(host);
  if (publicUrl === null) {
    return isLocal
      ? { name, state: 'ok', says: 'none: login links lead to this machine' }
      : {
          name,
          state: 'warn',
          says: `HOST is ${host}, but login links need PUBLIC_URL: set it to the address your users know`,
        };
  }
  if (publicUrl.startsWith('http:') && !/^http:\/\/(localhost|127\.|\[::1\])/.test(publicUrl)) {
    return {
      name,
      state: 'warn',
      says: `${publicUrl} is not https, so keys and cookies are sent unencrypted`,
    };
  }
  if (publicUrl.startsWith('https:') && trustProxy.length === 0) {
    return {
      name,
      state: 'warn',
      says: 'TRUST_PROXY does not name the proxy in front, so every request counts as coming from it: add its address',
    };
  }
  // If the service listens on loopback only, its proxy must be in the same container.
  if (gateway !== null && !isLocal && trustProxy.length > 0 && trustProxy.every(isLoopback)) {
    return {
      name,
      state: 'warn',
      says: `in a container, a proxy on the host arrives from ${gateway}, not from ${trustProxy.join(', ')}: set TRUST_PROXY to ${gateway}`,
    };
  }
  return { name, state: 'ok', says: publicUrl };
}

function isLoopback(entry: string): boolean {
  const [address = ''] = entry.split('/');
  return onThisMachine.allows(address);
}

const containerMarks = ['/.dockerenv', '/run/.containerenv'];

function containerGateway(): string | null {
  if (!containerMarks.some((path) => existsSync(path))) return null;
  try {
    return gatewayOf(readFileSync('/proc/net/route', 'utf8'));
  } catch {
    return 'the gateway of its network';
  }
}

/** Reads Linux's routing table: "eth0 00000000 0153A8AC …", where the address is in reversed hexadecimal. */
export function gatewayOf(routes: string): string {
  const found = /^\S+\s+00000000\s+([0-9A-F]{8})\s/m.exec(routes)?.[1];
  if (found === undefined) return 'the gateway of its network';
  const bytes = [...Buffer.from(found, 'hex')].reverse();
  return bytes.join('.');
}
