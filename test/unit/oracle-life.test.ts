// Plans in the oracle, compared with tables computed by hand (harness/oracle-scene.ts).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createScene, examineByTables, packages, secondsOf, shop } from '../harness/oracle-scene.ts';

const tables: Record<string, string> = {
  'a year lived through: twelve renewals, one of them refused until the credit came, and a cancel to the cent': `
    2026-01-31 12:00    | credit -20.00              | balance 80.00
    2026-01-31 12:00    | order ann basic 1          | activate 10.00, balance 70.00, until 2026-02-28 12:00
    2026-01-31 12:00    | auto ann months=1          | active until 2026-02-28 12:00, auto 1 at 2026-02-27 12:00
    2026-02-27 11:59:59 | jobs                       | nothing
    2026-02-27 12:00    | jobs                       | ann: renew 10.00, balance 60.00, until 2026-03-31 12:00
    2026-02-27 12:00    | jobs                       | nothing
    2026-03-30 12:00    | jobs                       | ann: renew 10.00, balance 50.00, until 2026-04-30 12:00
    2026-04-29 12:00    | jobs                       | ann: renew 10.00, balance 40.00, until 2026-05-31 12:00
    2026-05-30 12:00    | jobs                       | ann: renew 10.00, balance 30.00, until 2026-06-30 12:00
    2026-06-29 12:00    | jobs                       | ann: renew 10.00, balance 20.00, until 2026-07-31 12:00
    2026-07-01          | price basic 12.50          | done
    2026-07-30 12:00    | jobs                       | ann: renew 12.50, balance 7.50, until 2026-08-31 12:00
    2026-08-30 12:00    | jobs                       | ann: insufficient_credit
    2026-08-30 12:00    | show ann                   | active until 2026-08-31 12:00, auto 1 at 2026-08-30 18:00 after insufficient_credit
    2026-08-30 18:00    | jobs                       | ann: insufficient_credit
    2026-08-30 20:00    | credit 100.00              | balance 107.50
    2026-08-30 23:59:59 | jobs                       | nothing
    2026-08-31          | jobs                       | ann: renew 12.50, balance 95.00, until 2026-09-30 12:00
    2026-08-31          | show ann                   | active until 2026-09-30 12:00, auto 1 at 2026-09-29 12:00
    2026-09-29 12:00    | jobs                       | ann: renew 12.50, balance 82.50, until 2026-10-31 12:00
    2026-10-30 12:00    | jobs                       | ann: renew 12.50, balance 70.00, until 2026-11-30 12:00
    2026-11-29 12:00    | jobs                       | ann: renew 12.50, balance 57.50, until 2026-12-31 12:00
    2026-12-30 12:00    | jobs                       | ann: renew 12.50, balance 45.00, until 2027-01-31 12:00
    2027-01-30 12:00    | jobs                       | ann: renew 12.50, balance 32.50, until 2027-02-28 12:00
    2027-02-01          | price basic 9.99           | done
    2027-02-10          | order ann basic 1          | renew 9.99, balance 22.51, until 2027-03-31 12:00
    2027-02-10          | show ann                   | active until 2027-03-31 12:00, auto 1 at 2027-03-30 12:00
    # 14.5 of 28 days are unused: 1250 × 14.5 ÷ 28 = 647.3…; and all of the 999 for March
    2027-02-14          | cancel ann now             | refund 16.46, balance 38.97, cancelled until 2027-02-14
    2027-02-14          | ledger                     | refund 16.46, balance 38.97
    2027-02-14          | order ann basic 1          | activate 9.99, balance 28.98, until 2027-03-14
    2027-02-14          | show ann                   | active until 2027-03-14
    2027-12-31          | jobs                       | nothing`,

  'a cancel gives back by the rule of a change, once, and its key answers forever': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-01          | order ann basic 3          | renew 27.00, balance 63.00, until 2026-05-01
    # Half of January; the quarter from February on is whole
    2026-01-16 12:00    | cancel ann now key=k       | refund 32.00, balance 95.00, cancelled until 2026-01-16 12:00
    2026-01-16 12:00    | cancel ann now             | order_failed plan_not_running
    2026-01-16 12:00    | cancel ann period_end      | order_failed plan_not_running
    2026-01-16 12:00    | order ann pro 1            | activate 30.00, balance 65.00, until 2026-02-16 12:00
    2026-01-20          | cancel ann now key=k       | refund 32.00, balance 95.00, active until 2026-02-16 12:00, replayed
    2026-01-20          | cancel ann period_end key=k | idempotency_conflict
    2026-01-20          | suspend ann key=k          | idempotency_conflict
    2026-01-20          | cancel bob now key=k       | idempotency_conflict
    2026-01-20          | order bob basic 1 key=k    | activate 10.00, balance 55.00, until 2026-02-20
    2026-01-20          | cancel bob now key=K       | refund 10.00, balance 65.00, cancelled until 2026-01-20
    2026-01-20          | history bob                | cancelled, activated
    2026-03-01          | cancel ann now             | order_failed plan_not_running
    2026-03-01          | show ann                   | expired until 2026-02-16 12:00
    2026-03-01          | show bob                   | cancelled until 2026-01-20`,

  'the last second gives nothing back, and nothing stands in the ledger of it': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-31 23:59:59 | cancel ann now             | refund 0.00, balance 90.00, cancelled until 2026-01-31 23:59:59
    2026-01-31 23:59:59 | ledger                     | charge -10.00, balance 90.00`,

  'for a clock that is behind, a plan that was cancelled has ended too': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-01 00:00:10 | cancel ann now             | refund 9.99, balance 99.99, cancelled until 2026-01-01 00:00:10
    2026-01-01 00:00:08 | cancel ann now             | order_failed plan_not_running
    2026-01-01 00:00:08 | order ann basic 1          | activate 10.00, balance 89.99, until 2026-02-01 00:00:08`,

  'an operator who gives nothing back': `
    2026-01-01          | no refunds                 | done
    2026-01-01          | order ann basic 12         | activate 100.00, balance 0.00, until 2027-01-01
    2026-01-02          | cancel ann now             | refund 0.00, balance 0.00, cancelled until 2026-01-02
    2026-01-02          | ledger                     | charge -100.00, balance 0.00`,

  'a cancel at the end of the period ends what renews, until it is taken back': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-02          | auto ann months=1          | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-03          | cancel ann period_end key=e | refund 0.00, balance 90.00, active until 2026-02-01, ending
    2026-01-03          | cancel ann period_end      | refund 0.00, balance 90.00, active until 2026-02-01, ending
    2026-01-31 12:00    | jobs                       | nothing
    2026-01-31 12:00    | resume ann                 | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-31 12:00    | cancel ann period_end key=e | refund 0.00, balance 90.00, active until 2026-02-01, auto 1 at 2026-01-31, replayed
    2026-01-31 12:00    | jobs                       | ann: renew 10.00, balance 80.00, until 2026-03-01
    2026-02-01          | cancel ann period_end      | refund 0.00, balance 80.00, active until 2026-03-01, ending
    # An order on top leaves the end meant; one that begins again forgets it, and what renewed
    2026-02-02          | order ann basic 1          | renew 10.00, balance 70.00, until 2026-04-01
    2026-02-02          | show ann                   | active until 2026-04-01, ending
    2026-04-01          | jobs                       | nothing
    2026-04-01          | show ann                   | expired until 2026-04-01, ending
    2026-04-02          | renew 1                    | renew 10.00, balance 60.00, until 2026-05-02
    2026-04-02          | show ann                   | active until 2026-05-02
    2026-04-02          | resume ann                 | active until 2026-05-02
    2026-04-02          | history ann                | renewed, renewed, cancelled_at_period_end, renewed by service, resumed, cancelled_at_period_end, auto_renew_set, activated`,

  'an end that was meant is not made up for by resume afterwards': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-01          | auto ann months=1          | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-01          | cancel ann period_end      | refund 0.00, balance 90.00, active until 2026-02-01, ending
    2026-02-05          | resume ann                 | expired until 2026-02-01, auto 1
    2026-02-05          | jobs                       | nothing
    2026-02-06          | order ann basic 1          | activate 10.00, balance 80.00, until 2026-03-06
    2026-02-06          | show ann                   | active until 2026-03-06, auto 1 at 2026-03-05`,

  'auto-renewal that is set takes the cancel back, and that which is put aside can be removed': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-01          | auto ann months=1          | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-01          | cancel ann period_end      | refund 0.00, balance 90.00, active until 2026-02-01, ending
    2026-01-01          | auto ann off               | active until 2026-02-01, ending
    2026-01-01          | resume ann                 | active until 2026-02-01
    2026-01-01          | cancel ann period_end      | refund 0.00, balance 90.00, active until 2026-02-01, ending
    2026-01-01          | auto ann period=quarterly hours_before=48 max_charge="27" | active until 2026-02-01, auto 3 at 2026-01-30 max 27.00
    2026-01-01          | auto ann months=3 hours_before=48 | active until 2026-02-01, auto 3 at 2026-01-30
    2026-01-01          | auto ann off               | active until 2026-02-01
    2026-01-01          | auto ann off               | active until 2026-02-01
    2026-01-01          | history ann                | auto_renew_removed, auto_renew_set, auto_renew_set, cancelled_at_period_end, resumed, auto_renew_removed, cancelled_at_period_end, auto_renew_set, activated`,

  'two holds, neither of which lifts the other, and orders ask for none': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-02          | suspend ann reason="unpaid" key=s | suspended until 2026-02-01
    2026-01-02          | suspend ann reason=" unpaid " key=s | suspended until 2026-02-01, replayed
    2026-01-02          | suspend ann reason="other" key=s | idempotency_conflict
    2026-01-02          | suspend ann                | suspended until 2026-02-01
    2026-01-03          | hold ann                   | suspended until 2026-02-01
    2026-01-03          | resume ann                 | suspended until 2026-02-01, usable
    2026-01-03          | resume ann                 | suspended until 2026-02-01, usable
    2026-01-04          | order ann pro 1            | change 30.00 less 9.03, balance 69.03, until 2026-02-04
    2026-01-04          | show ann                   | suspended until 2026-02-04, usable
    2026-01-04          | suspend ann                | suspended until 2026-02-04
    2026-01-05          | release ann                | suspended until 2026-02-04
    2026-02-04          | show ann                   | expired until 2026-02-04
    2026-02-04          | resume ann                 | expired until 2026-02-04
    2026-02-04          | suspend ann                | expired until 2026-02-04
    2026-02-05          | order ann basic 1          | activate 10.00, balance 59.03, until 2026-03-05
    2026-02-05          | show ann                   | suspended until 2026-03-05
    2026-02-06          | cancel ann now             | refund 9.64, balance 68.67, cancelled until 2026-02-06
    2026-02-06          | resume ann                 | cancelled until 2026-02-06
    2026-02-06          | history ann                | resumed, cancelled, activated, suspended, resumed, resumed by operator, suspended, changed, resumed, suspended by operator, suspended "unpaid", activated`,

  'resume takes back both, if both stand': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-01          | auto ann months=1          | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-01          | cancel ann period_end      | refund 0.00, balance 90.00, active until 2026-02-01, ending
    2026-01-01          | suspend ann                | suspended until 2026-02-01, ending
    2026-01-01          | resume ann                 | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-01          | suspend ann                | suspended until 2026-02-01, auto 1 at 2026-01-31
    2026-01-31          | jobs                       | ann: renew 10.00, balance 80.00, until 2026-03-01
    2026-01-31          | show ann                   | suspended until 2026-03-01, auto 1 at 2026-02-28`,

  'a renewal that would be charged too much is tried every six hours, before the end only': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-01          | auto ann months=1 max_charge="10.00" hours_before=12 | active until 2026-02-01, auto 1 at 2026-01-31 12:00 max 10.00
    2026-01-10          | price basic 10.01          | done
    2026-01-31 13:00    | jobs                       | ann: price_changed
    2026-01-31 13:00    | show ann                   | active until 2026-02-01, auto 1 at 2026-01-31 19:00 max 10.00 after price_changed
    2026-01-31 19:00    | jobs                       | ann: price_changed
    # Six hours later it is 01:00 of February: after the end
    2026-01-31 19:00    | show ann                   | active until 2026-02-01, auto 1 max 10.00 after price_changed
    2026-02-03          | jobs                       | nothing
    2026-02-03          | price basic 10.00          | done
    2026-02-04          | jobs                       | nothing
    2026-02-04          | order ann basic 1          | activate 10.00, balance 80.00, until 2026-03-04
    2026-02-04          | show ann                   | active until 2026-03-04, auto 1 at 2026-03-03 12:00 max 10.00
    2026-03-03 12:00    | jobs                       | ann: renew 10.00, balance 70.00, until 2026-04-04
    2026-03-03 12:00    | history ann                | renewed by service, activated, renewal_failed by service price_changed, renewal_failed by service price_changed, auto_renew_set, activated`,

  'exactly at the end there is no second try, a second before it there is': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-01          | order bob basic 1          | activate 10.00, balance 80.00, until 2026-02-01
    2026-01-01          | credit -80.00              | balance 0.00
    2026-01-01          | auto ann months=1 hours_before=6 | active until 2026-02-01, auto 1 at 2026-01-31 18:00
    2026-01-01          | auto bob months=1 hours_before=7 | active until 2026-02-01, auto 1 at 2026-01-31 17:00
    2026-01-31 17:59:59 | jobs                       | bob: insufficient_credit
    2026-01-31 18:00    | jobs                       | ann: insufficient_credit
    2026-01-31 18:00    | show ann                   | active until 2026-02-01, auto 1 after insufficient_credit
    2026-01-31 18:00    | show bob                   | active until 2026-02-01, auto 1 at 2026-01-31 23:59:59 after insufficient_credit
    2026-01-31 23:59:58 | jobs                       | nothing
    2026-01-31 23:59:59 | jobs                       | bob: insufficient_credit
    2026-01-31 23:59:59 | show bob                   | active until 2026-02-01, auto 1 after insufficient_credit`,

  'ends that were missed are tried once, in the order in which they were due': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-01          | order bob basic 1          | activate 10.00, balance 80.00, until 2026-02-01
    2026-01-01          | order cyd pro 1            | activate 30.00, balance 50.00, until 2026-02-01
    2026-01-01          | auto ann months=1          | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-01          | auto bob months=1          | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-01          | auto cyd months=1 hours_before=25 | active until 2026-02-01, auto 1 at 2026-01-30 23:00
    2026-01-01          | credit -10.00              | balance 40.00
    2026-02-10          | jobs                       | cyd: renew 30.00, balance 10.00, until 2026-03-10; ann: renew 10.00, balance 0.00, until 2026-03-10; bob: insufficient_credit
    2026-02-10          | show bob                   | expired until 2026-02-01, auto 1 after insufficient_credit
    2026-02-10          | credit 10.00               | balance 10.00
    2026-02-11          | jobs                       | nothing
    2026-02-11          | show ann                   | active until 2026-03-10, auto 1 at 2026-03-09`,

  'a refused try, and the service back only after the end: one more': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-01          | credit -90.00              | balance 0.00
    2026-01-01          | auto ann months=1          | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-31          | jobs                       | ann: insufficient_credit
    2026-01-31          | credit 10.00               | balance 10.00
    2026-02-01          | jobs                       | ann: renew 10.00, balance 0.00, until 2026-03-01`,

  'a month of 28 days from a new anchor is due again at once': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-01          | auto ann months=1 hours_before=720 | active until 2026-02-01, auto 1 at 2026-01-02
    2026-02-10          | jobs                       | ann: renew 10.00, balance 80.00, until 2026-03-10; ann: renew 10.00, balance 70.00, until 2026-04-10
    2026-02-10          | show ann                   | active until 2026-04-10, auto 1 at 2026-03-11`,

  'a blocked account is not renewed for, and its own requests end at the guard': `
    2026-01-01          | order ann basic 1 key=o    | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-01          | auto ann months=1 key=k    | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-02          | block                      | done
    2026-01-02          | auto ann months=1 key=k    | account_blocked
    2026-01-02          | cancel no-one what         | account_blocked
    2026-01-31          | jobs                       | ann: account_blocked
    2026-01-31 06:00    | unblock                    | done
    2026-01-31 06:00    | jobs                       | ann: renew 10.00, balance 80.00, until 2026-03-01`,

  'what is retired is renewed all the same, in another group at its price': `
    2026-01-01          | order ann pro 1            | activate 30.00, balance 70.00, until 2026-02-01
    2026-01-01          | auto ann months=1          | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-01          | retire pro                 | done
    2026-01-01          | distributor                | done
    2026-01-31          | jobs                       | ann: renew 20.00, balance 50.00, until 2026-03-01`,

  'a period that is sold no longer fails its renewals, which are tried again, and cannot be set': `
    2026-01-01          | order ann basic 3          | activate 27.00, balance 73.00, until 2026-04-01
    2026-01-01          | auto ann months=3 key=k    | active until 2026-04-01, auto 3 at 2026-03-31
    2026-01-02          | sell basic monthly,yearly  | done
    2026-01-02          | order ann basic 3          | invalid_months months
    2026-01-02          | auto ann months=3 key=k    | active until 2026-04-01, auto 3 at 2026-03-31, replayed
    2026-01-02          | auto ann months=3          | invalid_months months
    2026-03-31          | jobs                       | ann: invalid_months months
    2026-03-31          | show ann                   | active until 2026-04-01, auto 3 at 2026-03-31 06:00 after invalid_months
    2026-03-31 06:00    | jobs                       | ann: invalid_months months
    2026-03-31 07:00    | sell basic quarterly       | done
    2026-03-31 12:00    | jobs                       | ann: renew 27.00, balance 46.00, until 2026-07-01`,

  'a change begins a run of its own, and auto-renewal goes with the new package': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-01          | auto ann months=1          | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-11          | order ann pro 1            | change 30.00 less 6.77, balance 66.77, until 2026-02-11
    2026-01-11          | show ann                   | active until 2026-02-11, auto 1 at 2026-02-10
    2026-02-10          | jobs                       | ann: renew 30.00, balance 36.77, until 2026-03-11
    2026-02-10          | cancel ann period_end      | refund 0.00, balance 36.77, active until 2026-03-11, ending
    # One of the 31 days from 11 January, and all of the renewal: 96 and 3000
    2026-02-10          | order ann basic 1          | change 10.00 less 30.96, balance 57.73, until 2026-03-10
    2026-02-10          | show ann                   | active until 2026-03-10`,

  'a trial can be cancelled for nothing, and is not renewed; what it replaces is forgotten': `
    2026-01-01          | trial ann                  | active until 2026-01-08
    2026-01-01          | auto ann months=1          | package_unavailable free_trial
    2026-01-02          | cancel ann now             | refund 0.00, balance 100.00, cancelled until 2026-01-02
    2026-01-02          | trial ann again            | active until 2026-01-09
    2026-01-03          | order ann basic 1          | change 10.00, balance 90.00, until 2026-02-03
    2026-01-03          | auto ann months=1          | active until 2026-02-03, auto 1 at 2026-02-02
    2026-01-03          | suspend ann                | suspended until 2026-02-03, auto 1 at 2026-02-02
    2026-02-03          | trial ann again            | suspended until 2026-02-10
    2026-02-20          | jobs                       | nothing
    2026-02-20          | auto ann months=1          | order_failed plan_not_running
    2026-02-20          | history ann                | trial_started by operator, suspended, auto_renew_set, changed, trial_started by operator, cancelled, trial_started by operator`,

  'the first fault in the order of checks is the answer': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-01          | suspend ann key=used       | suspended until 2026-02-01
    2026-01-01          | cancel ann                 | validation_failed at
    2026-01-01          | cancel ann at=null         | validation_failed at
    2026-01-01          | cancel 99 now              | customer_not_found
    2026-01-01          | cancel 01 now              | customer_not_found
    2026-01-01          | cancel 99 now key=used     | idempotency_conflict
    2026-01-01          | cancel 99 key=used         | validation_failed at
    2026-01-01          | cancel 99 key="a b"        | invalid_idempotency_key idempotency_key
    2026-01-01          | suspend 99 reason="a\\u0007b" | validation_failed reason
    2026-01-01          | suspend 99 reason=null     | validation_failed reason
    2026-01-01          | suspend 99 reason=7        | validation_failed reason
    2026-01-01          | resume 99                  | customer_not_found
    2026-01-01          | auto 99 hours_before=0 max_charge="" | invalid_months months
    2026-01-01          | auto 99 months=1 period=yearly | invalid_months months
    2026-01-01          | auto 99 months=1 hours_before=0 max_charge="" | invalid_max_charge max_charge
    2026-01-01          | auto 99 months=1 hours_before=0 max_charge=null | validation_failed hours_before
    2026-01-01          | auto 99 months=1 hours_before=721 | validation_failed hours_before
    2026-01-01          | auto 99 months=1 hours_before=720 | customer_not_found
    2026-01-01          | auto 99 off                | customer_not_found
    2026-01-01          | rival cancel 1 now         | customer_not_found`,
};

examineByTables('the life of a plan, by tables', tables);

test('history says what, when, by whom, and from which state to which', () => {
  const scene = createScene();
  const [january, later] = [secondsOf('2026-01-01'), secondsOf('2026-01-11')];
  const end = secondsOf('2026-02-01');
  scene.run('order ann basic 1', january);
  scene.run('auto ann months=1 max_charge="10"', january + 1);
  scene.run('order ann pro 1', later);
  scene.run('cancel ann now', later + 1);
  const items = scene.oracle.history(shop, 'ann');
  assert.ok(Array.isArray(items));
  const basic = { status: 'active', packageId: packages.basic, expiresAt: end };
  const pro = { status: 'active', packageId: packages.pro, expiresAt: secondsOf('2026-02-11') };
  const gone = { status: 'cancelled', packageId: packages.pro, expiresAt: later + 1 };
  const autoRenew = { months: 1, maxChargeCents: 1000n, hoursBefore: 24 };
  assert.deepEqual(items.reverse(), [
    { type: 'activated', by: 'account', orderNumber: 1, at: january, from: null, to: basic },
    { type: 'auto_renew_set', by: 'account', autoRenew, at: january + 1, from: basic, to: basic },
    { type: 'changed', by: 'account', orderNumber: 2, refundCents: 677n, at: later, from: basic, to: pro },
    { type: 'cancelled', by: 'account', refundCents: 2999n, at: later + 1, from: pro, to: gone },
  ]);
});

test('an absent body is an empty one where nothing is required, and no JSON where something is', () => {
  const { oracle, run } = createScene();
  run('order ann basic 1', 0);
  const input = { accountId: shop, customerId: '1', body: undefined };
  const codes = [
    oracle.cancel(input, 0),
    oracle.setAutoRenew(input, 0),
    oracle.suspend(input, 0),
    oracle.resume(input, 0),
    oracle.removeAutoRenew(input, 0),
    oracle.suspend({ ...input, body: [] }, 0),
  ].map((outcome) => ('code' in outcome ? outcome.code : outcome.status));
  assert.deepEqual(codes, ['invalid_json', 'invalid_json', 200, 200, 200, 'invalid_json']);
});

test('the key of an order that the service made is no one’s to repeat', () => {
  const { oracle, run } = createScene();
  run('order ann basic 1', secondsOf('2026-01-01'));
  run('auto ann months=1', secondsOf('2026-01-01'));
  run('jobs', secondsOf('2026-01-31'));
  const made = oracle.order(shop, 2);
  assert.ok('idempotencyKey' in made);
  assert.match(made.idempotencyKey, /^auto_/);
  const now = secondsOf('2026-01-31');
  const body = { idempotency_key: made.idempotencyKey };
  for (const outcome of [
    oracle.renewOrder({ accountId: shop, orderId: '1', body }, now),
    oracle.placeOrder(
      { accountId: shop, body: { ...body, package_id: packages.basic, customer: 'ann' } },
      now,
    ),
  ])
    assert.equal('code' in outcome ? outcome.code : outcome.status, 'idempotency_conflict');
});
