// `npm run record:refusals` writes refusals.jsonl. Without `--record` it only counts what is recorded.

import { parseArgs } from 'node:util';
import { operationLines } from './refusal-cases.ts';
import { conflictLines, hiddenLines } from './refusal-conflicts.ts';
import { type RecordedLine, readCorpus, writeCorpus } from './refusal-corpus.ts';
import { answersOf } from './refusal-replay.ts';
import { startRefusalScene } from './refusal-scene.ts';

const { values } = parseArgs({ options: { record: { type: 'boolean', default: false } } });

if (values.record) await record();
count(readCorpus());

async function record(): Promise<void> {
  const scene = await startRefusalScene();
  const recorded: RecordedLine[] = [];
  try {
    for (const line of [
      ...operationLines(...(await scene.documents())),
      ...hiddenLines(),
      ...conflictLines(),
    ])
      recorded.push({ line, answers: await answersOf(scene, line) });
  } finally {
    await scene.close();
  }
  writeCorpus(recorded);
}

function count(lines: readonly RecordedLine[]): void {
  const bySurface = new Map<string, [lines: number, requests: number]>();
  const byCode = new Map<string, number>();
  for (const { line, answers } of lines) {
    const surface = line.name.startsWith('conflict') ? 'conflicts' : line.name.replace(/ \S+$/, '');
    const [count, requests] = bySurface.get(surface) ?? [0, 0];
    bySurface.set(surface, [count + 1, requests + answers.length]);
    for (const answer of answers) {
      const [code = ''] = /^\d+(?: [a-z_]+(?![a-z_/]))?/.exec(answer) ?? [];
      byCode.set(code, (byCode.get(code) ?? 0) + 1);
    }
  }
  for (const [surface, [count, requests]] of bySurface)
    process.stdout.write(`${surface}: ${requests} requests in ${count} lines\n`);
  const codes = [...byCode].toSorted(([, one], [, other]) => other - one);
  for (const [code, times] of codes) process.stdout.write(`${times} ${code}\n`);
  const requests = lines.reduce((sum, { answers }) => sum + answers.length, 0);
  process.stdout.write(`${requests} requests in ${lines.length} lines\n`);
}
