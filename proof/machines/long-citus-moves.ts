// node proof/machines/long-citus-moves.ts [--moves 4] [--seed 1]
// Runs citus-moves.ts on the servers of `npm run test:citus`. Exit code 1 if a check fails.

import { parseArgs } from 'node:util';
import { moveGroups } from './citus-moves.ts';

const { values } = parseArgs({
  options: {
    moves: { type: 'string', default: '4' },
    seed: { type: 'string', default: '1' },
  },
});
const began = performance.now();
const stops: number[] = [];
const { acknowledged, missing, doubled, problems, leftBehind } = await moveGroups({
  moves: Number(values.moves),
  seed: Number(values.seed),
  onMove({ title, tookMilliseconds, stoodStillMilliseconds, othersStoodStillMilliseconds }) {
    stops.push(stoodStillMilliseconds);
    say(
      `${title} in ${tookMilliseconds} ms: its orders stood still for ${stoodStillMilliseconds} ms at most, those of others for ${othersStoodStillMilliseconds} ms`,
    );
  },
});
for (const sentence of [...missing, ...doubled].slice(0, 10)) say(`  ${sentence}`);
for (const sentence of [...problems, ...leftBehind]) say(`  ${sentence}`);
const seconds = Math.round((performance.now() - began) / 1000);
say(
  `${stops.length} moves of groups, ${acknowledged} orders acknowledged: ${missing.length} missing, ${doubled.length} doubled, ` +
    `${problems.length} problems, ${leftBehind.length} lanes left behind; the longest stop ${Math.max(...stops)} ms; ` +
    `seed ${values.seed}, ${seconds} s`,
);
if (missing.length + doubled.length + problems.length + leftBehind.length > 0) process.exitCode = 1;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
