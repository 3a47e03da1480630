// Checks that every refusal equals the recorded one, on every surface. Run by `npm run proof -- --only refusals`.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { labelsOf, readCorpus } from './refusal-corpus.ts';
import { answersOf } from './refusal-replay.ts';
import { type RefusalScene, startRefusalScene } from './refusal-scene.ts';

const corpus = readCorpus();
const shownMax = 200;
let scene: RefusalScene;
before(async () => {
  scene = await startRefusalScene();
});
after(() => scene?.close());

test('every refusal is the one that was recorded', async (context) => {
  const differences: string[] = [];
  let requests = 0;
  for (const { line, answers } of corpus) {
    const labels = labelsOf(line);
    const now = await answersOf(scene, line);
    requests += now.length;
    for (const [at, answer] of now.entries())
      if (answer !== answers[at])
        differences.push(`${line.name}, ${labels[at]?.slice(0, 120)}\n  was ${answers[at]}\n  is  ${answer}`);
  }
  context.diagnostic(`${requests} requests in ${corpus.length} lines`);
  const more = differences.length > shownMax ? `\nand ${differences.length - shownMax} more` : '';
  assert.ok(differences.length === 0, `${differences.slice(0, shownMax).join('\n')}${more}`);
});

test('every operation of both documents has its line', async () => {
  const sent = new Set(
    corpus.flatMap(({ line }) => ('request' in line ? [line.name.split(' ').at(-1)] : [])),
  );
  for (const { paths } of await scene.documents()) {
    for (const operations of Object.values(paths))
      for (const { operationId } of Object.values(operations)) assert.ok(sent.has(operationId), operationId);
  }
});
