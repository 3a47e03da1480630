// Whether the service can be reached. Every answer and every failed request says so (client.ts); while it is unreachable it is
// probed until it answers again. What is shown stays; the frame of the pages says that it may be out of date.

import { useSyncExternalStore } from 'react';

const probeAddress = '/panel/api/sign-in';
const probeMilliseconds = 2_000;
/** What proxies answer in place of a service that is down. */
const proxyStatuses = [502, 503, 504];

/** An answer is so fresh that nothing has to be asked first. */
const freshMilliseconds = 10_000;

let isReachable = true;
// The page itself has just come.
let answeredAt = performance.now();
let probing: Promise<boolean> | undefined;
const listeners = new Set<() => void>();

export function noteAnswer(): void {
  answeredAt = performance.now();
}

/** Whether the service answered a moment ago, and nothing has said since that it cannot be reached. */
export function isSurelyReachable(): boolean {
  return isReachable && navigator.onLine && performance.now() - answeredAt < freshMilliseconds;
}

/** Of an answer without the service's envelope. */
export function isFromProxy(status: number): boolean {
  return proxyStatuses.includes(status);
}

/**
 * After a request without an answer. One that was only unlucky is not worth a word: the service is asked first. Ends once
 * the service answers; true: it had been away.
 */
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
    tell(false);
    await pause(probeMilliseconds);
  }
  tell(true);
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

function tell(now: boolean): void {
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
