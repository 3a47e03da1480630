// The oracle's rules of prices, compared with tables computed by hand. A price alone is the group's; * marks an account's
// price.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PutListInput } from '../../proof/oracle/oracle-prices.ts';
import { createScene, examineByTables, packages, secondsOf, shop } from '../harness/oracle-scene.ts';

const tables: Record<string, string> = {
  'a list names prices, and its percentage is for all that it does not name': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-01          | list off 12.50 basic/1 8.00 | list 1 from 2026-01-01
    2026-01-01          | order bob basic 1          | activate 8.00 by list 1, balance 82.00, until 2026-02-01
    # 27.00 × 0.875 = 23.625, half a cent up
    2026-01-01          | order cay basic 3          | activate 23.63 by list 1, balance 58.37, until 2026-04-01
    2026-01-01          | order dan pro 1            | activate 26.25 by list 1, balance 32.12, until 2026-02-01
    2026-01-01          | rival order eve basic 1    | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-02          | renew 1                    | renew 8.00 by list 1, balance 24.12, until 2026-03-01`,

  'a percentage of 29.99 is rounded half up to the cent': `
    2026-01-01          | price basic 29.99          | done
    2026-01-01          | list off 12.50             | list 1 from 2026-01-01
    # 29.99 × 0.875 = 26.24125
    2026-01-01          | order ann basic 1          | activate 26.24 by list 1, balance 73.76, until 2026-02-01
    # 29.99 × 0.5 = 14.995
    2026-01-01 00:00:01 | list off 50.00             | list 2 from 2026-01-01 00:00:01
    2026-01-01 00:00:01 | order bob basic 1          | activate 15.00 by list 2, balance 58.76, until 2026-02-01 00:00:01
    2026-01-01 00:00:02 | list off 0.01              | list 3 from 2026-01-01 00:00:02
    # 29.99 × 0.9999 = 29.987001
    2026-01-01 00:00:02 | order cay basic 1          | activate 29.99 by list 3, balance 28.77, until 2026-02-01 00:00:02
    2026-01-01 00:00:03 | list off 99.99             | list 4 from 2026-01-01 00:00:03
    # 29.99 × 0.0001 = 0.002999
    2026-01-01 00:00:03 | order dan basic 1          | activate 0.00 by list 4, balance 28.77, until 2026-02-01 00:00:03
    2026-01-01 00:00:04 | list off 0.00              | list 5 from 2026-01-01 00:00:04
    2026-01-01 00:00:04 | list off 100.00            | list 6 from 2026-01-01 00:00:04
    2026-01-01 00:00:04 | order eve basic 12         | activate 0.00 by list 6, balance 28.77, until 2027-01-01 00:00:04
    2026-01-01 00:00:05 | list off 0.00              | list 7 from 2026-01-01 00:00:05
    # The group's price, but by the list
    2026-01-01 00:00:05 | order fay basic 12         | insufficient_credit
    2026-01-01 00:00:05 | offer basic                | 29.99* 29.99* 29.99*`,

  'a fixed yearly price leaves the other periods alone, and 0.00 is a price': `
    2026-01-01          | list basic/12 80.00 pro/1 0.00 | list 1 from 2026-01-01
    2026-01-01          | offer basic                | 10.00 27.00 80.00*
    2026-01-01          | offer pro                  | 0.00* 81.00 300.00
    2026-01-01          | order ann basic 12         | activate 80.00 by list 1, balance 20.00, until 2027-01-01
    2026-01-01          | order bob basic 1          | activate 10.00, balance 10.00, until 2026-02-01
    2026-01-01          | order cay pro 1            | activate 0.00 by list 1, balance 10.00, until 2026-02-01
    # A fixed price does not follow the group's
    2026-01-02          | price basic 1.00           | done
    2026-01-02          | offer basic                | 1.00 1.00 80.00*`,

  'until ends a list in its second, and no earlier list comes back': `
    2026-01-01          | list basic/1 5.00          | list 1 from 2026-01-01
    2026-01-02          | list until 2026-01-10 basic/1 6.00 | list 2 from 2026-01-02 until 2026-01-10
    2026-01-09 23:59:59 | order ann basic 1          | activate 6.00 by list 2, balance 94.00, until 2026-02-09 23:59:59
    2026-01-10          | order bob basic 1          | activate 10.00, balance 84.00, until 2026-02-10
    2026-01-10          | order ann basic 1          | renew 10.00, balance 74.00, until 2026-03-09 23:59:59
    2026-01-10          | list until 2026-01-10 off 1.00 | validation_failed until
    2026-01-10          | list until 2026-01-10T00:00:01 off 1.00 | list 3 from 2026-01-10 until 2026-01-10 00:00:01
    2026-01-10          | offer basic                | 9.90* 26.73* 99.00*; 2026-01-10 00:00:01: 10.00 27.00 100.00`,

  'a list replaces the earlier one from its second on, also one that names nothing': `
    2026-01-01          | list off 20.00             | list 1 from 2026-01-01
    2026-01-02          | list-from 2026-02-01 basic/1 9.00 | list 2 from 2026-02-01
    2026-01-02          | list-from 2026-03-01       | list 3 from 2026-03-01
    2026-01-02          | offer basic                | 8.00* 21.60* 80.00*; 2026-02-01: 9.00* 27.00 100.00; 2026-03-01: 10.00 27.00 100.00
    2026-01-02          | offer pro                  | 24.00* 64.80* 240.00*; 2026-02-01: 30.00 81.00 300.00
    2026-01-31 23:59:59 | order ann basic 1          | activate 8.00 by list 1, balance 92.00, until 2026-02-28 23:59:59
    2026-02-01          | order ann basic 1          | renew 9.00 by list 2, balance 83.00, until 2026-03-31 23:59:59
    2026-02-01          | order bob pro 1            | activate 30.00, balance 53.00, until 2026-03-01
    2026-03-01          | order ann basic 1          | renew 10.00, balance 43.00, until 2026-04-30 23:59:59
    2026-03-01          | lists                      | list 1 from 2026-01-01, list 2 from 2026-02-01, list 3 from 2026-03-01`,

  'of two lists of the same second the one put last is in force': `
    2026-01-01          | list basic/1 7.00          | list 1 from 2026-01-01
    2026-01-01          | order ann basic 1          | activate 7.00 by list 1, balance 93.00, until 2026-02-01
    2026-01-01          | list-from 2026-01-01 basic/1 6.00 | list 2 from 2026-01-01
    2026-01-01          | order bob basic 1          | activate 6.00 by list 2, balance 87.00, until 2026-02-01
    # A list put now for a later second is not in force before it, and does not replace what begins between
    2026-01-01          | list-from 2026-01-05 basic/1 5.00 | list 3 from 2026-01-05
    2026-01-02          | list basic/1 4.00          | list 4 from 2026-01-02
    2026-01-04          | order cay basic 1          | activate 4.00 by list 4, balance 83.00, until 2026-02-04
    2026-01-05          | order dan basic 1          | activate 5.00 by list 3, balance 78.00, until 2026-02-05`,

  'the same list again is answered as it is, and another one for a second to come is refused': `
    2026-01-01          | list until 2026-06-01 off 5.00 basic/1 7.00 pro/1 8.00 memo vip | list 1 from 2026-01-01 until 2026-06-01
    2026-01-02          | list pro/1 8.00 memo vip off 5.00 basic/1 7.00 until 2026-06-01 | list 1 from 2026-01-01 until 2026-06-01, replayed
    2026-01-03          | list-from 2026-01-01 until 2026-06-01 off 5.00 basic/1 7.00 pro/1 8.00 memo vip | list 1 from 2026-01-01 until 2026-06-01, replayed
    2026-01-03          | list-from 2026-01-01 off 5.00 | validation_failed from
    2026-01-03          | list-from 2026-02-01 off 5.00 | list 2 from 2026-02-01
    2026-01-03          | list-from 2026-02-01 off 5.00 | list 2 from 2026-02-01, replayed
    2026-01-03          | list-from 2026-02-01 off 5.01 | price_already_scheduled
    2026-01-03          | list-from 2026-02-01 off 5.00 memo x | price_already_scheduled
    2026-01-03          | list-from 2026-02-01 off 5.00 until 2026-03-01 | price_already_scheduled
    2026-01-03          | list-from 2026-02-01       | price_already_scheduled
    2026-01-03          | list-from 2026-02-01 until 2026-02-01 off 9.00 | validation_failed until
    # Without a second, equal to a list to come: this one holds from now on
    2026-01-03          | list off 5.00              | list 3 from 2026-01-03
    2026-01-03          | rival list-from 2026-02-01 off 5.01 | list 1 from 2026-02-01
    # Ended: none is in force, so the same list is a new one
    2026-02-01          | list until 2026-02-02 off 7.00 | list 4 from 2026-02-01 until 2026-02-02
    2026-02-02          | list off 5.00              | list 5 from 2026-02-02`,

  'only a list to come is deleted, and what it replaced holds on': `
    2026-01-01          | list basic/1 7.00          | list 1 from 2026-01-01
    2026-01-01          | list-from 2026-02-01 basic/1 6.00 | list 2 from 2026-02-01
    2026-01-01          | unlist 3                   | price_not_found
    2026-01-01          | rival unlist 1             | price_not_found
    2026-01-01          | unlist 1                   | price_has_begun
    2026-01-31 23:59:59 | unlist 2                   | deleted list 2 from 2026-02-01
    2026-01-31 23:59:59 | unlist 2                   | price_not_found
    2026-01-31 23:59:59 | list-from 2026-02-01 basic/1 5.00 | list 3 from 2026-02-01
    2026-02-01          | unlist 3                   | price_has_begun
    2026-02-01          | order ann basic 1          | activate 5.00 by list 3, balance 95.00, until 2026-03-01`,

  'no list begins before the books: a clock that was set back': `
    2026-01-10          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-10
    2026-01-05          | list-from 2026-01-09 off 5.00 | validation_failed from
    2026-01-05          | list off 5.00              | list 1 from 2026-01-10
    2026-01-05          | list off 5.00              | list 1 from 2026-01-10, replayed
    2026-01-05          | order bob basic 1          | activate 10.00, balance 80.00, until 2026-02-05
    # The latest entry is the one written last
    2026-01-05          | unlist 1                   | deleted list 1 from 2026-01-10`,

  'a list names packages that can be ordered, each once, at a price': `
    2026-01-01          | list none/1 5.00           | validation_failed prices.0.package_id
    2026-01-01          | list basic/1 5.00 trial/1 5.00 | validation_failed prices.1.package_id
    2026-01-01          | list basic/1 5.00 pro/1 5.00 basic/3 5.00 | validation_failed prices.2.package_id
    2026-01-01          | list basic 5.00            | validation_failed
    2026-01-01          | list off 100.01            | validation_failed percent_off
    2026-01-01          | list-from 2026-02-01 basic/1 5.00 | list 1 from 2026-02-01
    2026-01-02          | retire basic               | done
    2026-01-02          | list basic/1 5.00          | validation_failed prices.0.package_id
    2026-01-02          | list-from 2026-02-01 basic/1 5.00 | list 1 from 2026-02-01, replayed`,

  'a percentage is of the group price of the second: after a change, scheduled or at once, and another group': `
    2026-01-01          | list off 10.00             | list 1 from 2026-01-01
    2026-01-01          | schedule basic/1 2026-02-01 20.00 | scheduled
    2026-01-01          | offer basic                | 9.00* 24.30* 90.00*; 2026-02-01: 18.00* 24.30* 90.00*
    2026-01-31 23:59:59 | order ann basic 1          | activate 9.00 by list 1, balance 91.00, until 2026-02-28 23:59:59
    2026-02-01          | order bob basic 1          | activate 18.00 by list 1, balance 73.00, until 2026-03-01
    2026-02-01          | order ann basic 1          | renew 18.00 by list 1, balance 55.00, until 2026-03-31 23:59:59
    2026-02-02          | price basic 5.00           | done
    2026-02-02          | order ann basic 1          | renew 4.50 by list 1, balance 50.50, until 2026-04-30 23:59:59
    2026-02-03          | distributor                | done
    2026-02-03          | order cay pro 1            | activate 18.00 by list 1, balance 32.50, until 2026-03-03`,

  'a held price: what was last paid for the period, or the group price just before for one never bought': `
    2026-01-15          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-15
    2026-01-20          | schedule basic 2026-02-01 50.00 held | scheduled
    2026-01-31 23:59:59 | price basic 11.00          | done
    2026-01-31 23:59:59 | order bob basic 1          | activate 11.00, balance 79.00, until 2026-02-28 23:59:59
    2026-02-01          | order cay basic 1          | activate 50.00, balance 29.00, until 2026-03-01
    2026-02-01          | credit 200.00              | balance 229.00
    2026-02-01          | order ann basic 1          | renew 10.00 held since 2026-02-01, balance 219.00, until 2026-03-15
    2026-02-01          | order ann basic 3          | renew 11.00 held since 2026-02-01, balance 208.00, until 2026-06-15
    2026-02-01          | renew 1 months=12          | renew 11.00 held since 2026-02-01, balance 197.00, until 2027-06-15
    2026-02-01          | order cay basic 1          | renew 50.00, balance 147.00, until 2026-04-01
    # The price of the quarter is its own by now, not the group’s
    2026-02-02          | price basic 3.00           | done
    2026-02-02          | order ann basic 3          | renew 11.00 held since 2026-02-01, balance 136.00, until 2027-09-15
    2026-02-02          | offer basic                | 3.00 3.00 3.00`,

  'a plan renews itself at its held price, and its guard is compared with that': `
    2026-01-15          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-15
    2026-01-15          | auto ann months=1 max_charge="10.00" | active until 2026-02-15, auto 1 at 2026-02-14 max 10.00
    2026-01-20          | schedule basic 2026-02-01 50.00 held | scheduled
    2026-02-14          | jobs                       | ann: renew 10.00 held since 2026-02-01, balance 80.00, until 2026-03-15
    2026-03-14          | jobs                       | ann: renew 10.00 held since 2026-02-01, balance 70.00, until 2026-04-15`,

  'a plan is held that runs in the second of the change: not one that begins in it or ended in it': `
    2026-01-01          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-01
    2026-01-01          | schedule basic 2026-02-01 12.00 held | scheduled
    2026-01-01 00:00:01 | order bob basic 1          | activate 10.00, balance 80.00, until 2026-02-01 00:00:01
    2026-02-01          | order ann basic 1          | activate 12.00, balance 68.00, until 2026-03-01
    2026-02-01          | order cay basic 1          | activate 12.00, balance 56.00, until 2026-03-01
    2026-02-01          | order bob basic 1          | renew 10.00 held since 2026-02-01, balance 46.00, until 2026-03-01 00:00:01
    2026-02-01          | order ann basic 1          | renew 12.00, balance 34.00, until 2026-04-01
    2026-02-01          | order cay basic 1          | renew 12.00, balance 22.00, until 2026-04-01`,

  'a hold is given up by a change of package, there and back': `
    2026-01-15          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-15
    2026-01-15          | schedule basic 2026-02-01 20.00 held | scheduled
    2026-02-01          | order ann basic 1          | renew 10.00 held since 2026-02-01, balance 80.00, until 2026-03-15
    2026-02-02          | credit 100.00              | balance 180.00
    # 13 of 31 days of 10.00, and all of the second month
    2026-02-02          | order ann pro 1            | change 30.00 less 14.19, balance 164.19, until 2026-03-02
    # 28 days of 28 of 30.00, less a second
    2026-02-02 00:00:01 | order ann basic 1          | change 20.00 less 29.99, balance 174.18, until 2026-03-02 00:00:01
    2026-02-02 00:00:01 | order ann basic 1          | renew 20.00, balance 154.18, until 2026-04-02 00:00:01`,

  'a hold is given up by a cancel, also in the second of the next order': `
    2026-01-15          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-15
    2026-01-15          | schedule basic 2026-02-01 20.00 held | scheduled
    2026-02-01          | cancel ann now             | refund 4.51, balance 94.51, cancelled until 2026-02-01
    2026-02-01          | order ann basic 1          | activate 20.00, balance 74.51, until 2026-03-01
    2026-02-02          | order ann basic 1          | renew 20.00, balance 54.51, until 2026-04-01`,

  'a hold is given up by a gap of a second, and survives a cancel that was taken back': `
    2026-01-15          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-15
    2026-01-15          | order bob basic 1          | activate 10.00, balance 80.00, until 2026-02-15
    2026-01-15          | schedule basic 2026-02-01 20.00 held | scheduled
    2026-02-10          | cancel bob period_end      | refund 0.00, balance 80.00, active until 2026-02-15, ending
    2026-02-14 23:59:59 | resume bob                 | active until 2026-02-15
    2026-02-14 23:59:59 | order bob basic 1          | renew 10.00 held since 2026-02-01, balance 70.00, until 2026-03-15
    2026-02-15          | renew 1                    | renew 20.00, balance 50.00, until 2026-03-15
    2026-02-16          | renew 1                    | renew 20.00, balance 30.00, until 2026-04-15`,

  'suspensions do not end a hold': `
    2026-01-15          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-15
    2026-01-15          | schedule basic 2026-02-01 20.00 held | scheduled
    2026-01-31          | suspend ann                | suspended until 2026-02-15
    2026-02-02          | hold ann                   | suspended until 2026-02-15
    2026-02-03          | order ann basic 1          | renew 10.00 held since 2026-02-01, balance 80.00, until 2026-03-15
    2026-02-04          | release ann                | suspended until 2026-03-15
    2026-02-04          | resume ann                 | active until 2026-03-15
    2026-02-04          | order ann basic 1          | renew 10.00 held since 2026-02-01, balance 70.00, until 2026-04-15`,

  'a hold survives a later new price and a price set at once, cheaper ones too': `
    2026-01-15          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-15
    2026-01-15          | schedule basic 2026-02-01 20.00 held | scheduled
    2026-01-15          | schedule basic 2026-02-03 30.00 | scheduled
    2026-02-03          | order ann basic 1          | renew 10.00 held since 2026-02-01, balance 80.00, until 2026-03-15
    2026-02-03          | order bob basic 1          | activate 30.00, balance 50.00, until 2026-03-03
    2026-02-04          | price basic 4.00           | done
    2026-02-04          | order ann basic 1          | renew 10.00 held since 2026-02-01, balance 40.00, until 2026-04-15`,

  'a price set at once in the very second of the change does not end its hold, nor count as the price before': `
    2026-01-15          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-15
    2026-01-15          | schedule basic 2026-02-01 20.00 held | scheduled
    2026-02-01          | price basic 15.00          | done
    2026-02-01          | order ann basic 3          | renew 27.00 held since 2026-02-01, balance 63.00, until 2026-05-15
    2026-02-01          | order bob basic 1          | activate 15.00, balance 48.00, until 2026-03-01`,

  'a scheduled change without held holds nothing, and after it a held one holds what was paid last': `
    2026-01-15          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-15
    2026-01-15          | schedule basic 2026-02-01 12.00 | scheduled
    2026-01-15          | schedule basic 2026-03-01 14.00 held | scheduled
    2026-01-15          | schedule basic 2026-03-05 16.00 held | scheduled
    2026-02-01          | order ann basic 1          | renew 12.00, balance 78.00, until 2026-03-15
    2026-02-28 23:59:59 | order bob basic 3          | activate 12.00, balance 66.00, until 2026-05-28 23:59:59
    2026-03-02          | order cay basic 1          | activate 14.00, balance 52.00, until 2026-04-02
    # Of several changes the earliest sets the price of a period never bought
    2026-03-06          | order ann basic 1          | renew 12.00 held since 2026-03-01, balance 40.00, until 2026-04-15
    2026-03-06          | order bob basic 1          | renew 12.00 held since 2026-03-01, balance 28.00, until 2026-06-28 23:59:59
    2026-03-06          | order cay basic 3          | renew 14.00 held since 2026-03-05, balance 14.00, until 2026-07-02
    2026-03-06          | order dan basic 1          | insufficient_credit`,

  'a hold is for the group and the periods that its change names': `
    2026-01-15          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-15
    2026-01-15          | schedule basic/1 2026-02-01 20.00 held | scheduled
    2026-01-15          | schedule basic/3 2026-02-02 30.00 | scheduled
    2026-02-02          | order ann basic 1          | renew 10.00 held since 2026-02-01, balance 80.00, until 2026-03-15
    2026-02-02          | order ann basic 3          | renew 30.00, balance 50.00, until 2026-06-15
    # The change names no price of distributors
    2026-02-03          | distributor                | done
    2026-02-03          | price basic 9.00           | done
    2026-02-03          | order ann basic 1          | renew 9.00, balance 41.00, until 2026-07-15`,

  'a change that is deleted before its second holds nothing': `
    2026-01-15          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-15
    2026-01-15          | schedule basic 2026-02-01 20.00 held | scheduled
    2026-01-15          | schedule basic 2026-02-02 30.00 | scheduled
    2026-01-31          | unschedule basic 2026-02-01 | deleted
    2026-02-02          | order ann basic 1          | renew 30.00, balance 60.00, until 2026-03-15`,

  'held or new is part of what was scheduled': `
    2026-01-15          | schedule basic 2026-02-01 20.00 held | scheduled
    2026-01-15          | schedule basic 2026-02-01 20.00 held | replayed
    2026-01-15          | schedule basic 2026-02-01 20.00 | price_already_scheduled
    2026-01-15          | schedule basic 2026-02-02 20.00 | scheduled
    2026-01-15          | schedule basic 2026-02-02 20.00 held | price_already_scheduled`,

  'a held price comes before the account’s, and the account’s own price can be held': `
    2026-01-10          | order ann basic 1          | activate 10.00, balance 90.00, until 2026-02-10
    2026-01-15          | list until 2026-02-05 basic/1 7.00 off 50.00 | list 1 from 2026-01-15 until 2026-02-05
    2026-01-15          | order bob basic 1          | activate 7.00 by list 1, balance 83.00, until 2026-02-15
    2026-01-15          | schedule basic 2026-02-01 20.00 held | scheduled
    2026-02-01          | order ann basic 1          | renew 10.00 held since 2026-02-01, balance 73.00, until 2026-03-10
    2026-02-01          | order bob basic 1          | renew 7.00 held since 2026-02-01, balance 66.00, until 2026-03-15
    # Never bought: the group's price, although the account would have paid half
    2026-02-01          | order bob basic 3          | renew 27.00 held since 2026-02-01, balance 39.00, until 2026-06-15
    2026-02-01          | order cay basic 1          | activate 7.00 by list 1, balance 32.00, until 2026-03-01
    2026-02-05          | order bob basic 1          | renew 7.00 held since 2026-02-01, balance 25.00, until 2026-07-15
    2026-02-05          | order cay basic 1          | renew 20.00, balance 5.00, until 2026-04-01`,

  'an order that failed is not what was paid last; one that waits has the price of its second': `
    2026-01-10          | list basic/1 7.00          | list 1 from 2026-01-10
    2026-01-10          | order ann basic 1          | activate 7.00 by list 1, balance 93.00, until 2026-02-10
    2026-01-15          | schedule basic 2026-02-01 20.00 held | scheduled
    2026-01-20          | list basic/1 8.00          | list 2 from 2026-01-20
    2026-01-20          | mode confirm               | done
    2026-01-20          | order ann basic 1          | renew 8.00 by list 2 pending, balance 85.00, until 2026-03-10
    2026-01-20          | settle 2 failed            | failed, balance 93.00
    2026-02-01          | renew 1                    | renew 7.00 held since 2026-02-01 pending, balance 86.00, until 2026-03-10
    2026-02-02          | settle 3 completed         | completed, balance 86.00
    2026-02-02          | renew 1                    | renew 7.00 held since 2026-02-01 pending, balance 79.00, until 2026-04-10`,

  'a run that began with an order that waited began in the order’s second': `
    2026-01-31          | schedule basic 2026-02-01 20.00 held | scheduled
    2026-01-31          | mode confirm               | done
    2026-01-31 23:59:59 | order ann basic 1          | activate 10.00 pending, balance 90.00, until 2026-02-28 23:59:59
    2026-02-02          | settle 1 completed         | completed, balance 90.00
    2026-02-02          | order ann basic 1          | renew 10.00 held since 2026-02-01 pending, balance 80.00, until 2026-03-31 23:59:59`,

  'a list names periods that are not sold, and they are not offered': `
    2026-01-01          | list basic/1 5.00 basic/3 6.00 | list 1 from 2026-01-01
    2026-01-01          | sell basic monthly,yearly  | done
    2026-01-01          | offer basic                | 5.00* 100.00
    2026-01-01          | list-from 2026-02-01 basic/1 5.00 basic/3 7.00 | list 2 from 2026-02-01
    2026-01-01          | offer basic                | 5.00* 100.00
    2026-01-01          | order ann basic 3          | invalid_months months`,

  'a replay has the first price, and a refund is of what was paid': `
    2026-01-01          | list off 50.00             | list 1 from 2026-01-01
    2026-01-01          | order ann basic 1 key=k    | activate 5.00 by list 1, balance 95.00, until 2026-02-01
    2026-01-02          | list                       | list 2 from 2026-01-02
    2026-01-02          | order ann basic 1 key=k    | activate 5.00 by list 1, balance 95.00, until 2026-02-01, replayed
    2026-01-16 12:00    | order ann pro 1            | change 30.00 less 2.50, balance 67.50, until 2026-02-16 12:00
    2026-01-16 12:00    | order bob basic 1 max_charge="9.99" | price_changed`,

  'retired packages renew at held and account prices': `
    2026-01-15          | list off 10.00             | list 1 from 2026-01-15
    2026-01-15          | order ann basic 1          | activate 9.00 by list 1, balance 91.00, until 2026-02-15
    2026-01-15          | order bob pro 1            | activate 27.00 by list 1, balance 64.00, until 2026-02-15
    2026-01-15          | schedule basic 2026-02-01 20.00 held | scheduled
    2026-01-16          | retire basic               | done
    2026-01-16          | retire pro                 | done
    2026-02-02          | renew 1                    | renew 9.00 held since 2026-02-01, balance 55.00, until 2026-03-15
    2026-02-02          | renew 2                    | renew 27.00 by list 1, balance 28.00, until 2026-03-15`,
};
examineByTables('prices of accounts, and prices that stay', tables);

test('at most fifty lists are to come', () => {
  const { run } = createScene();
  const now = secondsOf('2026-01-01');
  const dayOf = (place: number) => `2026-02-01T00:00:${String(place).padStart(2, '0')}`;
  for (let place = 0; place < 50; place += 1) {
    assert.match(run(`list-from ${dayOf(place)} off 5.00`, now), /^list \d+ from /);
  }
  assert.equal(run(`list-from ${dayOf(50)} off 5.00`, now), 'validation_failed from');
  assert.equal(run('list off 5.00', now), 'list 51 from 2026-01-01');
  assert.equal(run('unlist 7', now), 'deleted list 7 from 2026-02-01 00:00:06');
  assert.equal(run(`list-from ${dayOf(50)} off 5.00`, now), 'list 52 from 2026-02-01 00:00:50');
});

test('a list keeps its terms and the number of orders that it was put after', () => {
  const { oracle, run } = createScene();
  const now = secondsOf('2026-01-01');
  run('order ann basic 1', now);
  const input: PutListInput = {
    accountId: shop,
    until: null,
    percentOff: 1_250,
    prices: [{ packageId: packages.basic, prices: { 12: 8_000n } }],
    memo: 'as agreed',
  };
  oracle.putAccountPrices(input, now);
  input.percentOff = 0;
  input.prices.pop();
  run('order ann basic 1', now);
  assert.deepEqual(oracle.accountPrices(shop), [
    {
      number: 1,
      from: now,
      until: null,
      percentOff: 1_250,
      prices: [{ packageId: packages.basic, prices: { 12: 8_000n } }],
      memo: 'as agreed',
      afterOrder: 1,
    },
  ]);
  const long = { ...input, memo: 'x'.repeat(501) };
  assert.deepEqual(oracle.putAccountPrices(long, now), {
    code: 'validation_failed',
    details: { field: 'memo' },
  });
});
