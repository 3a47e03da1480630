// Reads the memory and CPU of a process from /proc. Only Linux has it: elsewhere every function returns null, and the report
// says that it was not measured.

import { readdirSync, readFileSync } from 'node:fs';

const sampleMilliseconds = 200;
// USER_HZ: /proc counts in this unit on every Linux that Node runs on. The kernel's own clock may differ.
const ticksPerSecond = 100;

export interface MemoryWatch {
  /** Megabytes: the highest resident size that was sampled, and the kernel's own peak since the start. */
  end(): { readonly megabytes: number | null; readonly peakMegabytes: number | null };
}

/** Samples the resident memory of a process until end() is called. */
export function watchMemory(pid: number): MemoryWatch {
  let highest: number | null = null;
  const sample = () => {
    const now = statusMegabytes(pid, 'VmRSS');
    if (now !== null) highest = Math.max(highest ?? 0, now);
  };
  const timer = setInterval(sample, sampleMilliseconds);
  sample();
  return {
    end() {
      clearInterval(timer);
      sample();
      return { megabytes: highest, peakMegabytes: statusMegabytes(pid, 'VmHWM') };
    },
  };
}

export function residentMegabytes(pid: number): number | null {
  return statusMegabytes(pid, 'VmRSS');
}

function statusMegabytes(pid: number, name: 'VmRSS' | 'VmHWM'): number | null {
  const text = readProcess(pid, 'status');
  const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text ?? '')?.[1];
  return kibibytes === undefined ? null : (Number(kibibytes) * 1024) / 1e6;
}

/** CPU seconds that the process itself has used. */
export function cpuSeconds(pid: number): number | null {
  const stat = readStat(pid);
  return stat === null ? null : stat.ownTicks / ticksPerSecond;
}

/** CPU seconds of a process and its children, including children that have ended and were waited for. */
export function cpuSecondsOfFamily(pid: number): number | null {
  const parent = readStat(pid);
  if (parent === null) return null;
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readStat(Number(name)))
    .filter((stat) => stat?.parent === pid);
  const ticks = children.reduce(
    (sum, stat) => sum + (stat?.ownTicks ?? 0),
    parent.ownTicks + parent.endedTicks,
  );
  return ticks / ticksPerSecond;
}

interface Stat {
  readonly parent: number;
  readonly ownTicks: number;
  readonly endedTicks: number;
}

function readStat(pid: number): Stat | null {
  const text = readProcess(pid, 'stat');
  if (text === null) return null;
  // The name, in parentheses, may contain any character, so the fields are read from behind it. The first one is the state.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [, parent = 0] = fields;
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
  return { parent, ownTicks: user + system, endedTicks: endedUser + endedSystem };
}

function readProcess(pid: number, file: 'stat' | 'status'): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return null;
  }
}
