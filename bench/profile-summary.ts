// Shows where the service's CPU time went, from the profiles that `--profile` keeps: for each group of functions, its share of
// the time in which the thread was busy. A function's time does not include the functions that it calls.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The parts of a .cpuprofile that this file reads. Times are in microseconds. */
interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const smallestShare = 0.01;

/** One line for each group that took at least a hundredth, the largest first. */
export function profileSummary(folder: string): string {
  const totals = new Map<string, number>();
  for (const file of globSync('*.cpuprofile', { cwd: folder })) {
    const profile: CpuProfile = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    const groups = new Map(profile.nodes.map(({ id, callFrame }) => [id, groupOf(callFrame)]));
    for (const [index, node] of profile.samples.entries()) {
      const group = groups.get(node) ?? 'other';
      totals.set(group, (totals.get(group) ?? 0) + (profile.timeDeltas[index] ?? 0));
    }
  }
  totals.delete('idle');
  const busy = [...totals.values()].reduce((sum, time) => sum + time, 0);
  return [...totals]
    .map(([group, time]) => ({ group, share: time / busy }))
    .filter(({ share }) => share >= smallestShare)
    .sort((a, b) => b.share - a.share)
    .map(({ group, share }) => `${(share * 100).toFixed(1).padStart(5)} %  ${group}`)
    .join('\n');
}

function groupOf({ functionName, url }: CpuProfile['nodes'][number]['callFrame']): string {
  if (functionName === '(idle)') return 'idle';
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (url === '')
    return /^write/.test(functionName) ? `system calls: ${functionName}` : 'V8 and Node, native';
  if (url.startsWith('node:internal/modules')) return 'loading modules at the start';
  if (url.startsWith('node:internal/crypto')) return 'node: hashing, random ids';
  if (url.startsWith('node:')) return 'node: http, streams, timers, events';
  const [, packagePath] = /.*\/node_modules\/(.+)/.exec(url) ?? [];
  if (packagePath !== undefined) return `npm: ${/^(?:@[^/]+\/)?[^/]+/.exec(packagePath)?.[0]}`;
  const [, part] = /\/src\/((?:(?:features|platform)\/)?[^/]+)\//.exec(url) ?? [];
  return part === undefined ? 'other' : `src/${part}`;
}
