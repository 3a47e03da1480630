import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRunMode, type DeliveryMode } from '../../src/features/webhooks/delivery-mode.ts';

// From the mode of the row to that of the column. "y": allowed; "-": throws.
const table = `
             loading delivering draining closing ended failed
  loading    -       y          y        -       -     y
  delivering -       -          y        -       -     y
  draining   -       -          -        y       -     y
  closing    -       -          -        -       y     y
  ended      -       -          -        -       -     -
  failed     -       -          -        -       -     -
`;

const [modes = [], ...rows] = table
  .trim()
  .split('\n')
  .map((line) => line.trim().split(/ +/)) as [DeliveryMode[], ...[DeliveryMode, ...string[]][]];

test('a delivery run changes its mode only along the table', () => {
  for (const [from, ...cells] of rows) {
    for (const [index, to] of modes.entries()) {
      const mode = createRunMode(from);
      if (cells[index] === 'y') {
        mode.become(to);
        assert.ok(mode.is(to));
      } else {
        assert.throws(() => mode.become(to), {
          message: `A delivery run that is ${from} cannot become ${to}.`,
        });
        assert.ok(mode.is(from), `${from} stays after ${to} was refused`);
      }
    }
  }
});

test('a delivery run sends while it loads and delivers, and in no other mode', () => {
  const sending = modes.filter((mode) => createRunMode(mode).isSending());
  assert.deepEqual(sending, ['loading', 'delivering']);
});
