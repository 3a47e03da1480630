// Tracks whether the service is reachable. While it is not, this module probes it, and the page stays open with a note.

import { useSyncExternalStore } from 'react';

const probeAddress = '/panel/api/sign-in';
const probeMilliseconds = 2_000;
/** A proxy answers with these statuses when the service behind it is stopped. */
const proxyStatuses = [502, 503, 504];

/** No probe is needed if the service answered this recently. */
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

/** Call this only for answers without the service's JSON envelope. */
export function isFromProxy(status: number): boolean {
  return proxyStatuses.includes(status);
}

/** Probes until the service answers. Resolves to false if the first probe succeeds: the service was never away. */
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
