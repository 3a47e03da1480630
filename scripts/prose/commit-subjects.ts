// Checks that subjects of commits are `area: imperative`, at most 72 characters. Older commits are exempt.

import { execFileSync } from 'node:child_process';

const lastOldCommit = '02d50b4c';
const lengthMax = 72;
/** Base forms that look like another form of a verb. */
const imperatives = new Set([
  'bring',
  'string',
  'embed',
  'feed',
  'need',
  'seed',
  'speed',
  'exceed',
  'proceed',
  'focus',
  'alias',
  'bias',
  'pass',
  'process',
  'press',
  'address',
  'access',
  'express',
  'compress',
  'discuss',
  'miss',
  'guess',
  'suppress',
  'dismiss',
  'cross',
  'ping',
]);

export function subjectProblem(subject: string): string | undefined {
  if (subject.length > lengthMax) return `has ${subject.length} characters, at most ${lengthMax}`;
  const [, verb] = /^[a-z][\w ,./-]*: (\S+)/.exec(subject) ?? [];
  if (verb === undefined) return 'is not "area: imperative"';
  if (/(?:ed|ing|s)$/.test(verb) && !imperatives.has(verb))
    return `says "${verb}" where an imperative stands`;
  return undefined;
}

/** Returns nothing without the history: in a package, a tarball or a shallow clone. */
export function newSubjects(root: string): readonly string[] {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    git('merge-base', '--is-ancestor', lastOldCommit, 'HEAD');
    return git('log', '--no-merges', '--format=%s', `${lastOldCommit}..HEAD`).split('\n').filter(Boolean);
  } catch {
    return [];
  }
}
