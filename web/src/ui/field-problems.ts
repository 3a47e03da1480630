// Texts for refused fields; the service's reasons address programs. Loaded with the first refusal, like
// error-sentences.tsx.

import { t } from '@lingui/core/macro';
import { formatCount } from '../text/language.ts';

/** `field`: "email", "limits.accounts", "allowed_ips.2". */
export function fieldProblem(field: string, reason: string): string {
  const problem = problemOf(reason);
  const [, list = '', place] = /^(.*)\.(\d+)$/.exec(field) ?? [];
  const name = fieldNames[list === '' ? field : list];
  if (place !== undefined) {
    const entry = formatCount(Number(place) + 1);
    return name === undefined ? t`Entry ${entry}: ${problem}` : t`${name}, entry ${entry}: ${problem}`;
  }
  return name === undefined ? problem : t`${name}: ${problem}`;
}

const fieldNames: Readonly<Record<string, string>> = {
  allowed_ips: t`IP allow-list`,
  amount: t`Amount`,
  balance_below: t`Balance`,
  colour: t`Colour`,
  current_password: t`Your password`,
  customer_name: t`Name`,
  data: t`Logo`,
  display_name: t`Name`,
  duration_days: t`Days`,
  email: t`E-mail address`,
  emails: t`E-mail addresses`,
  expires_at: t`Last day`,
  external_ref: t`Your own id`,
  features: t`Features`,
  from: t`From`,
  hours_before: t`Hours before the end`,
  letterhead: t`Letterhead`,
  memo: t`Memo`,
  name: t`Name`,
  new_password: t`New password`,
  password: t`Password`,
  plans_ending_days: t`Days before the end`,
  prices: t`Prices`,
  rate_limit_per_minute: t`Requests a minute`,
  reason: t`Reason`,
  role: t`Role`,
  scopes: t`What it may do`,
  support_address: t`Address for help`,
  to: t`To`,
  url: t`Address`,
  username: t`Username`,
};

const problems: readonly (readonly [RegExp, (...found: string[]) => string])[] = [
  [/must not be blank|must not be empty|can be seen/, () => t`This must not be empty.`],
  [/must have at most ([\d,]+) characters/, (most) => t`At most ${most} characters.`],
  [/must have at least ([\d,]+) characters/, (least) => t`At least ${least} characters.`],
  [/must have ([\d,]+) to ([\d,]+) characters/, (least, most) => t`From ${least} to ${most} characters.`],
  [
    /must be a whole number from ([\d,]+) to ([\d,]+)/,
    (least, most) => t`A whole number from ${least} to ${most}.`,
  ],
  [
    /most used passwords/,
    () => t`This is one of the most common passwords, or close to one. Choose another one.`,
  ],
  [
    /must not contain the name of the account/,
    () => t`It must not contain the name of the account or of this program.`,
  ],
  [/must differ from the current/, () => t`Choose one that differs from the current one.`],
  [/e-mail address/, () => t`An e-mail address such as anna@example.com.`],
  [/needed for an invitation/, () => t`An invitation needs this.`],
  [/must be in the future|whole second in UTC, in the future/, () => t`This must be in the future.`],
  [/has passed/, () => t`This day has passed. Choose a later one first.`],
  [/must not be before/, () => t`The end is before the start.`],
  [/above 0\.00|must not be zero|more than 0\.00/, () => t`This must be more than zero.`],
  [/must be an amount/, () => t`An amount, such as 12.50.`],
  [/balance would be too large/, () => t`The balance would be too large.`],
  [/must name at least one price/, () => t`Enter at least one price.`],
  [/control characters/, () => t`It contains characters that are not allowed here.`],
  [/IP address or CIDR range/, () => t`This is not an IP address or range.`],
  [/bits set beyond the prefix/, () => t`The address does not fit the length of its range.`],
  [/must be a PNG or a JPEG/, () => t`The file must be a PNG or JPEG.`],
  [
    /16 bits a colour or interlaced/,
    () => t`This kind of PNG cannot be used. Save it with 8 bits a colour, not interlaced.`,
  ],
  [/JPEG in RGB or grey/, () => t`This kind of JPEG cannot be used. Save it in RGB or grey.`],
  [/that cannot be read/, () => t`The picture in the file cannot be read.`],
  [/256 KiB/, () => t`The file is too large: at most 256 KiB.`],
  [/pixels a side/, () => t`The picture is too large.`],
  [/times the other/, () => t`The picture is too long: one side may be eight times the other at most.`],
  [/ten years in one/, () => t`At most ten years at once.`],
  [/year 2199/, () => t`The clock cannot go past the year 2199.`],
  [/forward only/, () => t`The clock can only move forward.`],
  [/your own login/, () => t`This is your own sign-in. Change it on the “Security” page.`],
];

function problemOf(reason: string): string {
  for (const [pattern, say] of problems) {
    const found = pattern.exec(reason);
    if (found !== null) return say(...found.slice(1));
  }
  return t`This is not valid.`;
}
