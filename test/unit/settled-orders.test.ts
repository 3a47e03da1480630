// The proof machines' check of pending orders against the ledger finds all errors, and nothing else.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settlementProblems } from '../../proof/machines/settled-orders.ts';

const table = `
  completed 10.00  0.00 | charge -10.00                                              | right
  completed  0.00  0.00 | charge 0.00                                                | right
  completed 30.00  5.00 | refund 5.00, charge -30.00                                 | right
  completed 10.00 15.00 | refund 10.00, charge -10.00, refund 5.00                   | right
  completed 10.00 15.00 | refund 10.00, charge -10.00                                | wrong
  completed 10.00  0.00 | charge -10.00, refund 10.00                                | wrong
  completed 10.00  0.00 | charge -10.00, charge -10.00                               | wrong
  completed 10.00  0.00 |                                                            | wrong
  pending   10.00  0.00 | charge -10.00                                              | right
  pending   10.00 15.00 | refund 10.00, charge -10.00                                | right
  pending   10.00 15.00 | refund 15.00, charge -10.00                                | wrong
  pending    0.00 15.00 | charge 0.00                                                | right
  failed    10.00  0.00 | charge -10.00, refund 10.00                                | right
  failed    10.00  0.00 | charge -10.00                                              | wrong
  failed    10.00  0.00 | charge -10.00, refund 10.00, refund 10.00                  | wrong
  failed    30.00  5.00 | refund 5.00, charge -30.00, refund 30.00, charge -5.00     | right
  failed    30.00  5.00 | refund 5.00, charge -30.00, refund 25.00                   | wrong
  failed    10.00 15.00 | refund 10.00, charge -10.00, refund 10.00, charge -10.00   | right
  failed    10.00 15.00 | refund 10.00, charge -10.00                                | wrong
  failed     0.00 15.00 | charge 0.00                                                | right
  lost      10.00  0.00 | charge -10.00                                              | wrong`;

test('an order is what its entries say, by its status', () => {
  for (const line of table.split('\n').filter((one) => one.trim() !== '')) {
    const [head = '', list = '', expected = ''] = line.split('|').map((cell) => cell.trim());
    const [status, price, refund] = head.split(/ +/);
    const entries = (list === '' ? [] : list.split(', ')).map((text) => {
      const [kind, amount] = text.split(' ');
      return { order_id: 7, kind, amount };
    });
    const others = [{ order_id: null, kind: 'refund', amount: '1.00' }];
    const problems = settlementProblems([{ id: 7, status, price, refund }], [...entries, ...others]);
    assert.equal(problems.length === 0 ? 'right' : 'wrong', expected, line);
  }
});
