// The oracle's pending orders, compared with tables computed by hand and, on random chains, with immediate orders.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Oracle } from '../../proof/oracle/oracle.ts';
import { fixedSeed as seed } from '../harness/fixed-seed.ts';
import { createScene, examineByTables, packages, secondsOf, shop } from '../harness/oracle-scene.ts';

/** basic costs 10.00 a month and 27.00 a quarter, pro three times that, gift nothing. The account begins with 100.00. */
const tables: Record<string, string> = {
  'an order waits, is charged at once, and is real when the product takes it, with the terms of its second': `
    2026-01-01          | mode confirm               | done
    2026-01-01          | order ann basic 1 key=k    | activate 10.00 pending, balance 90.00, until 2026-02-01
    2026-01-01          | show ann                   | expired until 2026-01-01
    2026-01-01          | entries 1                  | charge -10.00
    2026-01-01          | orders                     | 1 pending
    2026-01-04 12:00    | order ann basic 1 key=k    | activate 10.00 pending, balance 90.00, until 2026-02-01, replayed
    # The last of 72 hours, and a little more
    2026-01-04 12:00    | settle 1 completed         | completed, balance 90.00
    2026-01-04 12:00    | show ann                   | active until 2026-02-01
    2026-01-04 12:00    | entries 1                  | charge -10.00
    2026-01-04 12:00    | order ann basic 1 key=k    | activate 10.00, balance 90.00, until 2026-02-01, replayed
    2026-01-04 12:00    | history ann                | order_completed by product, activated`,

  'a refused order is paid back, the plan is as before, and its key stands for it': `
    2026-01-01          | mode confirm               | done
    2026-01-01          | order ann basic 1 key=k    | activate 10.00 pending, balance 90.00, until 2026-02-01
    2026-01-02          | settle 1 failed reason="no such shop" | failed, balance 100.00
    2026-01-02          | entries 1                  | charge -10.00, refund 10.00
    2026-01-02          | show ann                   | expired until 2026-01-01
    2026-01-02          | order ann basic 1 key=k    | activate 10.00 failed, balance 90.00, until 2026-02-01, replayed
    2026-01-02          | order ann basic 1 key=l    | activate 10.00 pending, balance 90.00, until 2026-02-02
    2026-01-02          | settle 2 completed by=operator | completed, balance 90.00
    2026-01-02          | show ann                   | active until 2026-02-02
    2026-01-02          | orders                     | 2 completed, 1 failed
    2026-01-02          | history ann                | order_completed by operator, activated, order_failed by product "no such shop", activated`,

  'a change that gives more back than it costs: the rest comes with the product’s yes': `
    2026-01-01          | order ann pro 1            | activate 30.00, balance 70.00, until 2026-02-01
    2026-01-01          | mode confirm               | done
    # Half of January is unused: 15.00
    2026-01-16 12:00    | order ann basic 1 max_charge="-5.01" | price_changed
    2026-01-16 12:00    | order ann basic 1 max_charge="-5.00" | change 10.00 less 15.00 pending, balance 70.00, until 2026-02-16 12:00
    2026-01-16 12:00    | entries 2                  | refund 10.00, charge -10.00
    2026-01-16 12:00    | show ann                   | active until 2026-02-01
    2026-01-17          | settle 2 completed         | completed, balance 75.00
    2026-01-17          | entries 2                  | refund 10.00, charge -10.00, refund 5.00
    2026-01-17          | show ann                   | active until 2026-02-16 12:00
    2026-01-17          | history ann                | order_completed by product, changed, activated`,

  'such a change refused, with a balance that is spent: nothing is missing, and the old plan is worth what it was': `
    2026-01-01          | order ann pro 1            | activate 30.00, balance 70.00, until 2026-02-01
    2026-01-01          | mode confirm               | done
    2026-01-16 12:00    | order ann basic 1          | change 10.00 less 15.00 pending, balance 70.00, until 2026-02-16 12:00
    2026-01-16 12:00    | credit -70.00              | balance 0.00
    2026-01-20          | settle 2 failed            | failed, balance 0.00
    2026-01-20          | entries 2                  | refund 10.00, charge -10.00, refund 10.00, charge -10.00
    2026-01-20          | show ann                   | active until 2026-02-01
    # A quarter of January
    2026-01-24 06:00    | cancel ann now             | refund 7.50, balance 7.50, cancelled until 2026-01-24 06:00`,

  'a change that costs, refused: the charge comes back, and what was given for the old plan goes': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-01          | mode confirm               | done
    2026-01-16 12:00    | order ann pro 1            | change 30.00 less 5.00 pending, balance 65.00, until 2026-02-16 12:00
    2026-01-16 12:00    | credit -65.00              | balance 0.00
    2026-01-17          | settle 2 failed            | failed, balance 25.00
    2026-01-17          | entries 2                  | refund 5.00, charge -30.00, refund 30.00, charge -5.00
    2026-01-17          | show ann                   | active until 2026-02-01
    2026-01-17          | order ann pro 1            | insufficient_credit`,

  'a change to what costs nothing gives nothing back until it is taken': `
    2026-01-01          | order ann pro 1            | activate 30.00, balance 70.00, until 2026-02-01
    2026-01-01          | mode confirm               | done
    2026-01-16 12:00    | order ann gift 1           | change 0.00 less 15.00 pending, balance 70.00, until 2026-02-16 12:00
    2026-01-16 12:00    | settle 2 failed            | failed, balance 70.00
    2026-01-16 12:00    | entries 2                  |
    2026-01-16 12:00    | order ann gift 1           | change 0.00 less 15.00 pending, balance 70.00, until 2026-02-16 12:00
    2026-01-16 12:00    | settle 3 completed         | completed, balance 85.00
    2026-01-16 12:00    | entries 3                  | refund 15.00
    # Of nothing paid nothing is unused
    2026-01-16 12:00    | cancel ann now             | refund 0.00, balance 85.00, cancelled until 2026-01-16 12:00`,

  'while an order waits, its customer’s plan is no one’s to change, and holds are': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-01          | auto ann months=1          | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-01          | mode confirm               | done
    2026-01-10          | order ann basic 1 key=p    | renew 10.00 pending, balance 80.00, until 2026-03-01
    2026-01-10          | order ann basic 1          | order_failed order_pending
    2026-01-10          | order ann pro 1            | order_failed order_pending
    2026-01-10          | order ann basic 1 key=p    | renew 10.00 pending, balance 80.00, until 2026-03-01, replayed
    2026-01-10          | renew 1                    | order_failed order_pending
    2026-01-10          | renew 2                    | order_failed order_pending
    2026-01-10          | trial ann                  | order_failed order_pending
    2026-01-10          | cancel ann now             | order_failed order_pending
    2026-01-10          | cancel ann period_end      | order_failed order_pending
    2026-01-10          | auto ann months=3          | order_failed order_pending
    2026-01-10          | auto ann off               | order_failed order_pending
    2026-01-10          | suspend ann                | suspended until 2026-02-01, auto 1 at 2026-01-31
    2026-01-10          | resume ann                 | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-10          | hold ann                   | suspended until 2026-02-01, usable, auto 1 at 2026-01-31
    2026-01-10          | release ann                | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-10          | order bob basic 1          | activate 10.00 pending, balance 70.00, until 2026-02-10
    2026-01-10          | auto bob off               | order_failed order_pending
    2026-01-31          | jobs                       | ann: order_failed order_pending
    2026-01-31          | show ann                   | active until 2026-02-01, auto 1 at 2026-01-31 06:00 after order_failed
    # What waits goes on waiting when nothing new has to
    2026-01-31          | mode none                  | done
    2026-01-31          | order ann basic 1          | order_failed order_pending
    2026-01-31          | settle 2 completed         | completed, balance 70.00
    2026-01-31          | show ann                   | active until 2026-03-01, auto 1 at 2026-02-28
    2026-01-31          | order ann basic 1          | renew 10.00, balance 60.00, until 2026-04-01
    2026-01-31          | history ann                | renewed, order_completed by product, renewal_failed by service order_failed, resumed by operator, suspended by operator, resumed, suspended, renewed, auto_renew_set, activated`,

  'the same data is asked about first, and another’s customer and a renewal of another plan after': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-01          | mode confirm               | done
    2026-01-01          | order ann pro 1 key=k      | change 30.00 less 10.00 pending, balance 70.00, until 2026-02-01
    2026-01-01          | order ann pro 3 key=k      | idempotency_conflict
    2026-01-01          | rival order ann pro 1      | customer_not_yours
    # The plan will be of pro, and is not yet
    2026-01-01          | renew 2                    | order_failed order_pending
    2026-01-01          | settle 2 completed         | completed, balance 70.00
    2026-01-01          | renew 1                    | order_failed plan_changed`,

  'an order that waits across the end of the plan continues it without a gap, or ends with it': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-01          | order bob basic 1          | activate 10.00, balance 80.00, until 2026-02-01
    2026-01-01          | mode confirm               | done
    2026-01-31 23:59:59 | order ann basic 1          | renew 10.00 pending, balance 70.00, until 2026-03-01
    2026-01-31 23:59:59 | order bob pro 1            | change 30.00 pending, balance 40.00, until 2026-02-28 23:59:59
    2026-02-01          | show ann                   | expired until 2026-02-01
    2026-02-01          | order ann pro 1            | order_failed order_pending
    2026-02-03 23:59:59 | settle 3 completed         | completed, balance 40.00
    2026-02-03 23:59:59 | show ann                   | active until 2026-03-01
    2026-02-03 23:59:59 | settle 4 failed            | failed, balance 70.00
    2026-02-03 23:59:59 | show bob                   | expired until 2026-02-01
    2026-02-03 23:59:59 | history bob                | order_failed by product, changed, activated
    # The anchor is of January still
    2026-02-03 23:59:59 | order ann basic 1          | renew 10.00 pending, balance 60.00, until 2026-04-01
    2026-02-03 23:59:59 | settle 5 completed         | completed, balance 60.00
    2026-02-03 23:59:59 | show ann                   | active until 2026-04-01`,

  'an order that is accepted by hand after its term is over has had its term': `
    2026-01-01          | mode confirm               | done
    2026-01-01          | order ann basic 1          | activate 10.00 pending, balance 90.00, until 2026-02-01
    2026-03-01          | settle 1 completed by=operator | completed, balance 90.00
    2026-03-01          | show ann                   | expired until 2026-02-01
    2026-03-01          | cancel ann now             | order_failed plan_not_running`,

  'the first word stands, anyone who says what afterwards; and what never waited is completed': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-01          | settle 1 completed         | completed before, balance 90.00
    2026-01-01          | settle 1 failed            | order_already_settled completed
    2026-01-01          | settle 2 failed            | order_not_found
    2026-01-01          | mode notify                | done
    2026-01-01          | order bob basic 1          | activate 10.00, balance 80.00, until 2026-02-01
    2026-01-01          | settle 2 completed         | completed before, balance 80.00
    2026-01-01          | mode confirm               | done
    2026-01-01          | order cyd basic 1          | activate 10.00 pending, balance 70.00, until 2026-02-01
    2026-01-02          | rival settle 3 completed   | order_not_found
    2026-01-02          | settle 3 completed         | completed, balance 70.00
    2026-01-03          | settle 3 completed         | completed before, balance 70.00
    2026-01-03          | settle 3 failed by=operator | order_already_settled completed
    2026-01-03          | order dan basic 1          | activate 10.00 pending, balance 60.00, until 2026-02-03
    2026-01-03          | settle 4 failed            | failed, balance 70.00
    2026-01-04          | settle 4 completed by=operator | order_already_settled failed
    2026-01-04          | show dan                   | expired until 2026-01-03
    2026-01-04          | show cyd                   | active until 2026-02-01
    2026-01-04          | history dan                | order_failed by product, activated
    2026-01-04          | history cyd                | order_completed by product, activated`,

  'a halted account’s orders wait until it is lifted; a blocked one’s are settled': `
    2026-01-01          | mode confirm               | done
    2026-01-01          | order ann basic 1          | activate 10.00 pending, balance 90.00, until 2026-02-01
    2026-01-02          | halt                       | done
    2026-01-02          | settle 1 failed            | order_failed account_halted
    2026-01-02          | settle 1 completed         | order_failed account_halted
    2026-01-02          | orders                     | 1 pending
    2026-01-02          | order bob basic 1          | order_failed account_halted
    2026-01-02          | order ann basic 1          | order_failed order_pending
    2026-01-02          | credit 1.00                | order_failed account_halted
    2026-01-05          | unhalt                     | done
    2026-01-05          | settle 1 failed            | failed, balance 100.00
    2026-01-06          | halt                       | done
    2026-01-06          | settle 1 failed            | failed before, balance 100.00
    2026-01-06          | unhalt                     | done
    2026-01-06          | order ann basic 1          | activate 10.00 pending, balance 90.00, until 2026-02-06
    2026-01-06          | block                      | done
    2026-01-06          | settle 2 completed         | completed, balance 90.00
    2026-01-06          | show ann                   | active until 2026-02-06`,

  'a renewal by itself waits too, once; refused, it is tried again six hours after the refusal, before the end only': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-01          | auto ann months=1          | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-01          | mode confirm               | done
    2026-01-31          | jobs                       | ann: renew 10.00 pending, balance 80.00, until 2026-03-01
    2026-01-31          | show ann                   | active until 2026-02-01, auto 1
    2026-01-31 06:00    | jobs                       | nothing
    2026-01-31 06:00    | settle 2 failed            | failed, balance 90.00
    2026-01-31 06:00    | show ann                   | active until 2026-02-01, auto 1 at 2026-01-31 12:00 after order_failed
    2026-01-31 12:00    | jobs                       | ann: renew 10.00 pending, balance 80.00, until 2026-03-01
    2026-01-31 18:00    | settle 3 failed            | failed, balance 90.00
    # Six hours later is the end itself
    2026-01-31 18:00    | show ann                   | active until 2026-02-01, auto 1 after order_failed
    2026-02-01          | jobs                       | nothing
    2026-02-01          | history ann                | order_failed by product, renewed by service, order_failed by product, renewed by service, auto_renew_set, activated`,

  'a renewal by itself that is taken moves the end, also after it': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-01          | auto ann months=1          | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-01          | mode confirm               | done
    2026-01-31          | jobs                       | ann: renew 10.00 pending, balance 80.00, until 2026-03-01
    2026-02-02          | jobs                       | nothing
    2026-02-02          | settle 2 completed         | completed, balance 80.00
    2026-02-02          | show ann                   | active until 2026-03-01, auto 1 at 2026-02-28
    2026-02-28          | jobs                       | ann: renew 10.00 pending, balance 70.00, until 2026-04-01`,

  'a try that a refused order was in the way of is due again, also after the end, and no other is': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-01          | order bob basic 1          | activate 10.00, balance 80.00, until 2026-02-01
    2026-01-01          | auto ann months=1          | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-01          | auto bob months=1 max_charge="5.00" | active until 2026-02-01, auto 1 at 2026-01-31 max 5.00
    2026-01-30          | mode confirm               | done
    2026-01-30          | order ann basic 1          | renew 10.00 pending, balance 70.00, until 2026-03-01
    2026-01-31          | jobs                       | ann: order_failed order_pending; bob: price_changed
    2026-01-31 18:00    | jobs                       | ann: order_failed order_pending; bob: price_changed
    2026-01-31 19:00    | order bob basic 1          | renew 10.00 pending, balance 60.00, until 2026-03-01
    2026-02-02          | jobs                       | nothing
    2026-02-02          | show ann                   | expired until 2026-02-01, auto 1 after order_failed
    2026-02-02          | settle 3 failed            | failed, balance 70.00
    2026-02-02          | settle 4 failed            | failed, balance 80.00
    2026-02-02          | show ann                   | expired until 2026-02-01, auto 1 at 2026-01-31
    2026-02-02          | show bob                   | expired until 2026-02-01, auto 1 max 5.00 after price_changed
    2026-02-02          | jobs                       | ann: renew 10.00 pending, balance 70.00, until 2026-03-02`,
  'a refused order of the account leaves what renews as it found it': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-01          | auto ann months=1          | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-01          | mode confirm               | done
    2026-01-10          | order ann pro 1            | change 30.00 less 7.09 pending, balance 67.09, until 2026-02-10
    2026-01-11          | settle 2 failed            | failed, balance 90.00
    2026-01-11          | show ann                   | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-31          | jobs                       | ann: renew 10.00 pending, balance 80.00, until 2026-03-01`,

  'an end that is meant, and is taken back while an order waits, is as it is when the order is taken': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-01          | order bob basic 1          | activate 10.00, balance 80.00, until 2026-02-01
    2026-01-01          | order cyd basic 1          | activate 10.00, balance 70.00, until 2026-02-01
    2026-01-01          | auto ann months=1          | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-01          | auto bob months=1          | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-01          | auto cyd months=1          | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-01          | cancel ann period_end      | refund 0.00, balance 70.00, active until 2026-02-01, ending
    2026-01-01          | cancel bob period_end      | refund 0.00, balance 70.00, active until 2026-02-01, ending
    2026-01-01          | cancel cyd period_end      | refund 0.00, balance 70.00, active until 2026-02-01, ending
    2026-01-01          | mode confirm               | done
    # 22 of 31 days: 709.6… cents
    2026-01-10          | order ann pro 1            | change 30.00 less 7.09 pending, balance 47.09, until 2026-02-10
    2026-01-10          | order bob pro 1            | change 30.00 less 7.09 pending, balance 24.18, until 2026-02-10
    2026-01-10          | order cyd basic 1          | renew 10.00 pending, balance 14.18, until 2026-03-01
    2026-01-11          | resume ann                 | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-12          | settle 4 completed         | completed, balance 14.18
    2026-01-12          | settle 5 completed         | completed, balance 14.18
    2026-01-12          | settle 6 completed         | completed, balance 14.18
    2026-01-12          | show ann                   | active until 2026-02-10, auto 1 at 2026-02-09
    2026-01-12          | show bob                   | active until 2026-02-10
    2026-01-12          | show cyd                   | active until 2026-03-01, ending`,

  'a cancelled plan stays cancelled until the product takes the next, and a hold stays over it': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-01          | cancel ann now             | refund 10.00, balance 100.00, cancelled until 2026-01-01
    2026-01-01          | mode confirm               | done
    2026-01-02          | order ann pro 1            | activate 30.00 pending, balance 70.00, until 2026-02-02
    2026-01-02          | show ann                   | cancelled until 2026-01-01
    2026-01-03          | settle 2 failed            | failed, balance 100.00
    2026-01-03          | show ann                   | cancelled until 2026-01-01
    2026-01-03          | order ann pro 1            | activate 30.00 pending, balance 70.00, until 2026-02-03
    2026-01-03          | suspend ann                | cancelled until 2026-01-01
    2026-01-03          | settle 3 completed         | completed, balance 70.00
    2026-01-03          | show ann                   | suspended until 2026-02-03`,

  'what changes meanwhile changes nothing of what waits, and a refused order can be renewed': `
    2026-01-01          | mode confirm               | done
    2026-01-01          | order ann basic 1          | activate 10.00 pending, balance 90.00, until 2026-02-01
    2026-01-01          | order bob pro 1            | activate 30.00 pending, balance 60.00, until 2026-02-01
    2026-01-02          | price basic 12.00          | done
    2026-01-02          | distributor                | done
    2026-01-02          | retire pro                 | done
    2026-01-02          | settle 1 failed            | failed, balance 70.00
    2026-01-02          | settle 2 completed         | completed, balance 70.00
    2026-01-02          | show bob                   | active until 2026-02-01
    2026-01-03          | renew 1                    | renew 12.00 pending, balance 58.00, until 2026-02-03
    2026-01-03          | settle 3 completed         | completed, balance 58.00
    2026-01-03          | show ann                   | active until 2026-02-03`,

  'a trial is given at once, and changed only when the product agrees': `
    2026-01-01          | mode confirm               | done
    2026-01-01          | trial ann                  | active until 2026-01-08
    2026-01-02          | order ann basic 1          | change 10.00 pending, balance 90.00, until 2026-02-02
    2026-01-02          | trial ann                  | order_failed order_pending
    2026-01-02          | show ann                   | active until 2026-01-08
    2026-01-09          | settle 1 failed            | failed, balance 100.00
    2026-01-09          | show ann                   | expired until 2026-01-08
    2026-01-09          | trial ann again            | active until 2026-01-16`,
};

examineByTables('orders that wait for the product, by tables', tables);

test('history says of an order that waits from which state to which, and of its end', () => {
  const scene = createScene();
  const [ordered, refused, again, taken] = ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-05'].map(
    secondsOf,
  );
  assert.ok(ordered !== undefined && refused !== undefined && again !== undefined && taken !== undefined);
  scene.run('mode confirm', ordered);
  scene.run('order ann basic 1', ordered);
  scene.run('settle 1 failed reason="sold out"', refused);
  scene.run('order ann pro 1', again);
  scene.run('settle 2 completed by=operator', taken);
  const items = scene.oracle.history(shop, 'ann');
  assert.ok(Array.isArray(items));
  // Until an order completes, the customer's plan is one that expired at the moment of the first order.
  const over = { status: 'expired', packageId: packages.basic, expiresAt: ordered };
  const pro = { status: 'active', packageId: packages.pro, expiresAt: secondsOf('2026-02-03') };
  const failed = {
    type: 'order_failed',
    by: 'product',
    orderNumber: 1,
    refundCents: 1000n,
    reason: 'sold out',
    at: refused,
  };
  assert.deepEqual(items.reverse(), [
    { type: 'activated', by: 'account', orderNumber: 1, at: ordered, from: null, to: over },
    { ...failed, from: over, to: over },
    { type: 'activated', by: 'account', orderNumber: 2, at: again, from: over, to: over },
    {
      type: 'order_completed',
      by: 'operator',
      orderNumber: 2,
      refundCents: 0n,
      at: taken,
      from: over,
      to: pro,
    },
  ]);
});

test('a new customer is there while the order waits, and stays when it is refused', () => {
  const { oracle, run } = createScene();
  const at = secondsOf('2026-01-01');
  run('mode confirm', at);
  run('order Ann@Example.com basic 1 customer_name="Ann"', at);
  const view = oracle.customer(shop, 'ann@example.com', at);
  assert.ok('plan' in view);
  assert.deepEqual([view.name, view.number, view.createdAt], ['Ann', 1, at]);
  const { packageId, startsAt, expiresAt, active, daysLeft } = view.plan;
  assert.deepEqual([packageId, startsAt, expiresAt, active, daysLeft], [packages.basic, at, at, false, 0]);
  assert.deepEqual(oracle.paidPeriods(shop, 'ann@example.com'), []);
  run('settle 1 failed', at);
  assert.equal(oracle.customers(shop, 1, 100, at).total, 1);
});

type Move = { readonly who: string; readonly line: string; readonly wait: number };

const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.record({
    who: fc.constantFrom('ann', 'bob'),
    line: fc.constantFrom(
      ...['order $ basic 1', 'order $ basic 3', 'order $ pro 1', 'order $ pro 12', 'order $ gift 1'],
      ...['cancel $ now', 'cancel $ period_end', 'resume $', 'auto $ months=1', 'jobs', 'credit 25.00'],
    ),
    wait: fc.oneof(fc.constantFrom(0, 1, 31 * 86_400), fc.nat(40 * 86_400)),
  }),
  { minLength: 1, maxLength: 25, size: 'max' },
);

test('an order that is taken in its second leaves what an order leaves that never waited', () => {
  fc.assert(
    fc.property(moves, (chain) => {
      const [plain, waiting] = [createScene(), createScene()];
      let now = secondsOf('2026-01-01');
      waiting.run('mode confirm', now);
      for (const { who, line, wait } of chain) {
        now += wait;
        for (const { oracle, run } of [plain, waiting]) {
          run(line.replace('$', who), now);
          // A renewal that is due comes after the previous order was accepted.
          for (let pending = oracle.pendingOrders(shop); pending.length > 0; ) {
            for (const { number } of pending) run(`settle ${number} completed`, now);
            if (line === 'jobs') run('jobs', now);
            pending = oracle.pendingOrders(shop);
          }
        }
        assert.deepEqual(standing(waiting.oracle, now), standing(plain.oracle, now));
      }
    }),
    { numRuns: 300, seed },
  );
});

test('a refused order of any kind leaves what there was, however long it waited', () => {
  let refused = 0;
  fc.assert(
    fc.property(moves, fc.nat(100 * 86_400), (chain, waited) => {
      const [plain, tempted] = [createScene(), createScene()];
      let now = secondsOf('2026-01-01');
      for (const { run } of [plain, tempted])
        for (const who of ['ann', 'bob']) run(`order ${who} basic 1`, now);
      for (const { who, line, wait } of chain) {
        now += wait;
        for (const { run } of [plain, tempted]) run(line.replace('$', who), now);
        if (!line.startsWith('order')) continue;
        const { run, oracle } = tempted;
        run('mode confirm', now);
        for (const name of ['basic 1', 'pro 1', 'gift 1']) run(`order ${who} ${name} key=${name}`, now);
        const [pending, ...more] = oracle.pendingOrders(shop);
        assert.deepEqual(more, [], 'one at a time');
        run('mode none', now);
        if (pending === undefined) continue;
        // None of it can be spent: even with an empty balance, the order can be refused.
        const { balanceCents } = oracle.balance(shop);
        oracle.credit({ accountId: shop, amountCents: -balanceCents, actorId: 'operator' }, now);
        now += waited;
        run(`settle ${pending.number} failed`, now);
        oracle.credit({ accountId: shop, amountCents: balanceCents, actorId: 'operator' }, now);
        refused += 1;
        const [found, wanted] = [standing(oracle, now), standing(plain.oracle, now)];
        assert.deepEqual(found.balance, wanted.balance);
        assert.deepEqual(found.customers, wanted.customers);
      }
    }),
    { numRuns: 300, seed },
  );
  assert.ok(refused > 300);
});

function standing(oracle: Oracle, now: number) {
  const orders = oracle.orders(shop, 1, 100).data;
  const totals = orders.map(({ number }) =>
    oracle
      .ledger(shop)
      .filter(({ orderNumber }) => orderNumber === number)
      .reduce((sum, { amountCents }) => sum + amountCents, 0n),
  );
  // Failed orders have numbers too, so compare the last orders by what was bought.
  const bought = (number: number | null) => {
    const found = orders.find((order) => order.number === number);
    return found && [found.status, found.packageId, found.months, found.createdAt];
  };
  const customers = oracle
    .customers(shop, 1, 100, now)
    .data.map((view) => ({ ...view, plan: { ...view.plan, lastOrder: bought(view.plan.lastOrder) } }));
  const periods = customers.map(({ reference }) => oracle.paidPeriods(shop, reference));
  return {
    balance: oracle.balance(shop),
    orders: orders.map((order) => ({ ...order, idempotencyKey: '' })),
    totals,
    customers: [customers, periods],
  };
}
