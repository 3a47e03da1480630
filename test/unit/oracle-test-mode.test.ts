// The oracle's test mode, compared with tables computed by hand (harness/test-mode-scene.ts).

import { examineTestMode } from '../harness/test-mode-scene.ts';

/**
 * basic costs 10.00 a month and 27.00 a quarter, pro three times that. Tests begin with 1,000.00, the live account with
 * 100.00.
 */
const tables: Record<string, string> = {
  'a plan that is paid by the month from 31 January renews itself on its way through the year, without drift': `
    2026-01-31          | order ann basic 1          | activate 10.00, balance 990.00, until 2026-02-28
    2026-01-31          | auto ann months=1          | active until 2026-02-28, auto 1 at 2026-02-27
    2026-01-31          | move P1M                   | renewals 1, warnings 1, at 2026-02-28
    # At the second of the renewal the warning of one day has nothing to warn of any more
    2026-01-31          | emits                      | 2026-02-21 plan.ending ann 7; 2026-02-27 order.completed 2 completed, 98000; 2026-02-27 plan.renewed ann by order 2, 10 until 2026-03-31
    # The clock itself has no anchor
    2026-01-31          | move P1M                   | warnings 1, at 2026-03-28
    2026-01-31          | now 2026-12-31             | renewals 10, warnings 9, at 2026-12-31
    2026-01-31          | show ann                   | active until 2027-01-31, auto 1 at 2027-01-30
    2026-01-31          | top-up 0.01                | balance 880.01`,

  'a year in one move is the same as a year in small steps': `
    2026-01-31          | order ann basic 1          | activate 10.00, balance 990.00, until 2026-02-28
    2026-01-31          | auto ann months=1          | active until 2026-02-28, auto 1 at 2026-02-27
    2026-01-31          | order bob pro 1            | activate 30.00, balance 960.00, until 2026-02-28
    2026-01-31          | auto bob months=3 hours_before=48 | active until 2026-02-28, auto 3 at 2026-02-26
    2026-01-31          | move P2M                   | renewals 3, warnings 3, at 2026-03-31
    2026-01-31          | books                      | 2026-01-31 credit 1000.00; 2026-01-31 charge -10.00; 2026-01-31 charge -30.00; 2026-02-26 charge -81.00; 2026-02-27 charge -10.00; 2026-03-30 charge -10.00; balance 859.00
    2026-01-31          | show bob                   | active until 2026-05-31, auto 3 at 2026-05-29`,

  'a renewal that the balance does not cover is tried every six hours, and again after a credit at a later clock': `
    2026-01-01          | price basic 600.00         | done
    2026-01-01          | order ann basic 1          | activate 600.00, balance 400.00, until 2026-02-01
    2026-01-01          | auto ann months=1          | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-01          | now 2026-01-31 05:59:59    | failed 1, warnings 2, at 2026-01-31 05:59:59
    2026-01-01          | emits                      | 2026-01-25 plan.ending ann 7; 2026-01-31 renewal.failed ann insufficient_credit; 2026-01-31 plan.ending ann 1
    2026-01-01          | show ann                   | active until 2026-02-01, auto 1 at 2026-01-31 06:00 after insufficient_credit
    2026-01-01          | move PT1S                  | failed 1, at 2026-01-31 06:00
    2026-01-01          | move PT5H                  | at 2026-01-31 11:00
    2026-01-01          | top-up 200.00              | balance 600.00
    2026-01-01          | move PT59M                 | at 2026-01-31 11:59
    2026-01-01          | move PT1M                  | renewals 1, at 2026-01-31 12:00
    2026-01-01          | show ann                   | active until 2026-03-01, auto 1 at 2026-02-28
    2026-01-01          | books                      | 2026-01-01 credit 1000.00; 2026-01-01 charge -600.00; 2026-01-31 11:00 credit 200.00; 2026-01-31 12:00 charge -600.00; balance 0.00
    # At the end itself there is no try, and afterwards none either
    2026-01-01          | now 2026-03-01             | failed 4, warnings 2, ended 1, at 2026-03-01
    2026-01-01          | show ann                   | expired until 2026-03-01, auto 1 after insufficient_credit
    2026-01-01          | top-up 600.00              | balance 600.00
    2026-01-01          | move P1Y                   | at 2027-03-01
    2026-01-01          | history ann                | renewal_failed by service insufficient_credit, renewal_failed by service insufficient_credit, renewal_failed by service insufficient_credit, renewal_failed by service insufficient_credit, renewed by service, renewal_failed by service insufficient_credit, renewal_failed by service insufficient_credit, auto_renew_set, activated`,

  'a suspended customer is warned, renewed and ends like any other': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 990.00, until 2026-02-01
    2026-01-01          | auto ann months=1          | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-01          | suspend ann                | suspended until 2026-02-01, auto 1 at 2026-01-31
    2026-01-01          | move P1M                   | renewals 1, warnings 1, at 2026-02-01
    2026-01-01          | show ann                   | suspended until 2026-03-01, auto 1 at 2026-02-28
    2026-01-01          | auto ann off               | suspended until 2026-03-01
    2026-01-01          | move P1M                   | warnings 2, ended 1, at 2026-03-01
    2026-01-01          | show ann                   | expired until 2026-03-01`,

  'a plan that was cancelled at its end is announced and ends, and a plan that was cancelled at once has no later events': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 990.00, until 2026-02-01
    2026-01-01          | auto ann months=1          | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-01          | cancel ann period_end      | refund 0.00, balance 990.00, active until 2026-02-01, ending
    2026-01-01          | order bob basic 1          | activate 10.00, balance 980.00, until 2026-02-01
    2026-01-01          | auto bob months=1          | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-01          | move P26D                  | warnings 2, at 2026-01-27
    2026-01-01          | cancel bob now             | refund 1.61, balance 981.61, cancelled until 2026-01-27
    2026-01-01          | now 2026-02-01             | warnings 1, ended 1, at 2026-02-01
    2026-01-01          | emits                      | 2026-01-25 plan.ending ann 7; 2026-01-25 plan.ending bob 7; 2026-01-31 plan.ending ann 1; 2026-02-01 plan.expired ann
    # An end that was meant is not made up for
    2026-01-01          | resume ann                 | expired until 2026-02-01, auto 1
    2026-01-01          | move P1M                   | at 2026-03-01
    2026-01-01          | order ann basic 1          | activate 10.00, balance 971.61, until 2026-04-01
    2026-01-01          | move P1M                   | renewals 1, warnings 1, at 2026-04-01`,

  'a price that changes on the way is paid from its second on, and a guard against it holds': `
    2026-01-01          | schedule 2026-02-28 12.00  | done
    2026-01-01          | order ann basic 1          | activate 10.00, balance 990.00, until 2026-02-01
    2026-01-01          | auto ann months=1          | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-01          | order bob basic 1          | activate 10.00, balance 980.00, until 2026-02-01
    2026-01-01          | auto bob months=1 max_charge="10" | active until 2026-02-01, auto 1 at 2026-01-31 max 10.00
    2026-01-01          | now 2026-02-27 23:59:59    | renewals 2, warnings 4, at 2026-02-27 23:59:59
    2026-01-01          | show ann                   | active until 2026-03-01, auto 1 at 2026-02-28
    2026-01-01          | move PT1S                  | renewals 1, failed 1, warnings 1, at 2026-02-28
    2026-01-01          | books                      | 2026-01-01 credit 1000.00; 2026-01-01 charge -10.00; 2026-01-01 charge -10.00; 2026-01-31 charge -10.00; 2026-01-31 charge -10.00; 2026-02-28 charge -12.00; balance 948.00
    2026-01-01          | show bob                   | active until 2026-03-01, auto 1 at 2026-02-28 06:00 max 10.00 after price_changed
    # For the live account it is January still
    2026-01-01          | live order ann basic 1     | activate 10.00, balance 90.00, until 2026-02-01`,

  'a change of prices at once holds for a clock that is behind it, too': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 990.00, until 2026-02-01
    2026-06-01          | both price basic 15.00     | done
    2026-06-01          | clock                      | 2026-01-01
    2026-06-01          | order bob basic 1          | activate 15.00, balance 975.00, until 2026-02-01`,

  'a warning occurs once, and only if its second comes after the plan got its end': `
    2026-01-01          | alerts days=40             | done
    # 31 days: 40 days before the end there was no plan
    2026-01-01          | order ann basic 1          | activate 10.00, balance 990.00, until 2026-02-01
    2026-01-01          | move P26D                  | warnings 1, at 2026-01-27
    2026-01-01          | order ann basic 1          | renew 10.00, balance 980.00, until 2026-03-01
    # 33 days before the new end
    2026-01-01          | move P26D                  | warnings 1, at 2026-02-22
    2026-01-01          | emits                      | 2026-01-25 plan.ending ann 7; 2026-02-22 plan.ending ann 7
    2026-01-01          | order bob basic 3          | activate 27.00, balance 953.00, until 2026-05-22
    2026-01-01          | now 2026-05-22             | warnings 4, ended 2, at 2026-05-22
    2026-01-01          | emits                      | 2026-02-28 plan.ending ann 1; 2026-03-01 plan.expired ann; 2026-04-12 plan.ending bob 40; 2026-05-15 plan.ending bob 7; 2026-05-21 plan.ending bob 1; 2026-05-22 plan.expired bob
    2026-01-01          | alerts days=7              | done
    2026-01-01          | order bob basic 1          | activate 10.00, balance 943.00, until 2026-06-22
    2026-01-01          | move P1M                   | warnings 2, ended 1, at 2026-06-22`,

  'a plan of seven days is warned of one day before its end alone': `
    2026-01-01          | trial ann                  | active until 2026-01-08
    2026-01-01          | move P1W                   | warnings 1, ended 1, at 2026-01-08
    2026-01-01          | emits                      | 2026-01-07 plan.ending ann 1; 2026-01-08 plan.expired ann`,

  'at one second the customers come in the order of their numbers, and of one customer the renewal first': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 990.00, until 2026-02-01
    2026-01-01          | order bob basic 1          | activate 10.00, balance 980.00, until 2026-02-01
    2026-01-01          | auto bob months=1          | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-01          | auto ann months=1          | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-01          | price basic 980.00         | done
    2026-01-01          | alerts below=500.00        | done
    2026-01-01          | now 2026-01-31             | renewals 1, failed 1, warnings 3, at 2026-01-31
    2026-01-01          | emits                      | 2026-01-25 plan.ending ann 7; 2026-01-25 plan.ending bob 7; 2026-01-31 order.completed 3 completed, 0; 2026-01-31 plan.renewed ann by order 3, 10 until 2026-03-01; 2026-01-31 balance.low 0 of 50000; 2026-01-31 renewal.failed bob insufficient_credit; 2026-01-31 plan.ending bob 1`,

  'what is due already is renewed by the next move, at the second from which the clock sets out': `
    2026-02-01          | order ann basic 1          | activate 10.00, balance 990.00, until 2026-03-01
    2026-02-01          | auto ann months=1 hours_before=720 | active until 2026-03-01, auto 1 at 2026-01-30
    2026-02-01          | now 2026-02-01             | at 2026-02-01
    2026-02-01          | move PT1S                  | renewals 1, at 2026-02-01 00:00:01
    2026-02-01          | books                      | 2026-02-01 credit 1000.00; 2026-02-01 charge -10.00; 2026-02-01 charge -10.00; balance 980.00
    2026-02-01          | show ann                   | active until 2026-04-01, auto 1 at 2026-03-02`,

  'a warning of the second from which the clock sets out is not repeated': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 990.00, until 2026-02-01
    2026-01-01          | now 2026-01-31             | warnings 2, at 2026-01-31
    2026-01-01          | price basic 2000.00        | done
    2026-01-01          | auto ann months=1 hours_before=720 | active until 2026-02-01, auto 1 at 2026-01-02
    2026-01-01          | move PT1H                  | failed 1, at 2026-01-31 01:00`,

  'a clock goes forward, by calendar months and whole seconds, at most ten years at once and not beyond 2200': `
    2026-01-31 12:00    | send {"advance":"P1M"}     | at 2026-02-28 12:00
    2026-01-31 12:00    | send {"advance":"P1Y2M3DT4H5M6S"} | at 2027-05-01 16:05:06
    2026-01-31 12:00    | send {"advance":"P2W"}     | at 2027-05-15 16:05:06
    2026-01-31 12:00    | send {"now":"2027-05-15T16:05:06Z"} | at 2027-05-15 16:05:06
    2026-01-31 12:00    | send {"now":"2027-05-15T16:05:05Z"} | validation_failed now
    2026-01-31 12:00    | send {"now":"2027-02-29T00:00:00Z"} | validation_failed now
    2026-01-31 12:00    | send {"now":"tomorrow"}    | validation_failed now
    2026-01-31 12:00    | send {"advance":"P1D","now":"2028-01-01T00:00:00Z"} | validation_failed
    2026-01-31 12:00    | send {}                    | validation_failed
    2026-01-31 12:00    | send []                    | invalid_json
    2026-01-31 12:00    | send {"advance":"P0D"}     | validation_failed advance
    2026-01-31 12:00    | send {"advance":"PT0S"}    | validation_failed advance
    2026-01-31 12:00    | send {"advance":"P"}       | validation_failed advance
    2026-01-31 12:00    | send {"advance":"P1DT"}    | validation_failed advance
    2026-01-31 12:00    | send {"advance":"-P1D"}    | validation_failed advance
    2026-01-31 12:00    | send {"advance":"P-1D"}    | validation_failed advance
    2026-01-31 12:00    | send {"advance":"P1.5D"}   | validation_failed advance
    2026-01-31 12:00    | send {"advance":"1 month"} | validation_failed advance
    2026-01-31 12:00    | send {"advance":1}         | validation_failed advance
    2026-01-31 12:00    | send {"advance":"P10YT1S"} | validation_failed advance
    2026-01-31 12:00    | send {"advance":"P10000Y"} | validation_failed advance
    2026-01-31 12:00    | send {"now":"9999-12-31T23:59:59Z"} | validation_failed now
    2026-01-31 12:00    | clock                      | 2027-05-15 16:05:06
    2026-01-31 12:00    | send {"advance":"P10Y"}    | at 2037-05-15 16:05:06`,

  'no clock goes beyond the year 2200': `
    2195-01-01          | send {"now":"2200-12-31T23:59:59Z"} | at 2200-12-31 23:59:59
    2195-01-01          | send {"advance":"PT1S"}    | validation_failed advance`,

  'a move that is repeated with its key moves nothing again': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 990.00, until 2026-02-01
    2026-01-01          | move P1M key=k             | warnings 2, ended 1, at 2026-02-01
    2026-01-01          | move P1M key=k             | warnings 2, ended 1, at 2026-02-01, replayed
    2026-01-01          | move P1D key=l             | at 2026-02-02
    2026-01-01          | move P1M key=k             | warnings 2, ended 1, at 2026-02-01, replayed
    2026-01-01          | clock                      | 2026-02-02
    2026-01-01          | move P2M key=k             | idempotency_conflict
    2026-01-01          | top-up 5.00 key=k          | balance 995.00
    2026-01-01          | top-up 5.00 key=k          | balance 995.00, replayed
    2026-01-01          | top-up 0.00                | validation_failed amount
    2026-01-01          | top-up -5.00               | validation_failed amount
    2026-01-01          | top-up 1000000.01          | validation_failed amount`,

  'the live account and its test account know nothing of each other': `
    2026-01-01          | live order ann basic 1 key=k | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-01          | order ann pro 1 key=k      | activate 30.00, balance 970.00, until 2026-02-01
    2026-01-01          | live auto ann months=1     | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-01          | move P1Y                   | warnings 2, ended 1, at 2027-01-01
    2026-01-01          | live show ann              | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-31          | live jobs                  | ann: renew 10.00, balance 80.00, until 2026-03-01
    2026-01-31          | show ann                   | expired until 2026-02-01
    2026-01-31          | rival order ann basic 1    | customer_not_yours
    2026-01-31          | live rival order ann basic 1 | customer_not_yours
    2026-01-31          | both block                 | done
    2026-01-31          | move P1D                   | account_blocked
    2026-01-31          | reset                      | account_blocked`,

  'after a reset nothing is left, and the clock shows the real time': `
    2026-01-01          | order ann basic 1 key=k    | activate 10.00, balance 990.00, until 2026-02-01
    2026-01-01          | auto ann months=1          | active until 2026-02-01, auto 1 at 2026-01-31
    2026-01-01          | move P2M key=m             | renewals 2, warnings 2, at 2026-03-01
    2026-01-15          | reset                      | done
    2026-01-15          | clock                      | 2026-01-15
    2026-01-15          | show ann                   | customer_not_found
    2026-01-15          | orders                     | 
    2026-01-15          | books                      | 2026-01-15 credit 1000.00; balance 1000.00
    2026-01-15          | rival order ann basic 1    | activate 10.00, balance 990.00, until 2026-02-01
    2026-01-15          | order bob basic 1 key=k    | activate 10.00, balance 990.00, until 2026-02-15
    2026-01-15          | move P1D key=m             | at 2026-01-16`,
};

examineTestMode('the oracle, test mode', tables);
