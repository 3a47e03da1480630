// Whether the service is reachable, from every answer and failure (client.ts). While unreachable it is probed. The page
// stays, with a note that it may be outdated.

import { useSyncExternalStore } from 'react';

const probeAddress = '/panel/api/sign-in';
const probeMilliseconds = 2_000;
/** Statuses of proxies in front of a stopped service. */
const proxyStatuses = [502, 503, 504];

/** For this long after an answer, no probe is needed. */
const freshMilliseconds = 10_000;

let isReachable = true;
let answeredAt = performance.now();
let probing: Promise<boolean> | undefined;
const listeners = new Set<() => void>();

export function noteAnswer(): void {
  answeredAt = performance.now();
}

export function isSurelyReachable(): boolean {
  return isReachable && navigator.onLine && performance.now() - answeredAt < freshMilliseconds;
}

/** For answers without the service's envelope. */
export function isFromProxy(status: number): boolean {
  return proxyStatuses.includes(status);
}

/** After a request without an answer: probes until the service answers. true: it had been away, not just this request. */
export function untilReachable(): Promise<boolean> {
  probing ??= probeUntilThere().finally(() => {
    probing = undefined;
  });
  return probing;
}

export function useIsReachable(): boolean {
  return useSyncExternalStore(subscribe, () => isReachable);
}

async function probeUntilThere(): Promise<boolean> {
  let wasAway = false;
  while (!(await isThere())) {
    wasAway = true;
    notify(false);
    await pause(probeMilliseconds);
  }
  notify(true);
  return wasAway;
}

async function isThere(): Promise<boolean> {
  if (!navigator.onLine) return false;
  try {
    const { status } = await fetch(probeAddress, { cache: 'no-store' });
    if (proxyStatuses.includes(status)) return false;
    noteAnswer();
    return true;
  } catch {
    return false;
  }
}

function notify(now: boolean): void {
  if (now === isReachable) return;
  isReachable = now;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('offline', untilReachable);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('offline', untilReachable);
  };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
