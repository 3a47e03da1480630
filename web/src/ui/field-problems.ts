// Texts for refused fields, because the service's reasons are written for programs. Loaded with the first refusal.

import { t } from '@lingui/core/macro';
import { formatCount } from '../text/language.ts';

/** `field` is a name such as "email", "limits.accounts" or "allowed_ips.2". */
export function fieldProblem(field: string, reason: string): string {
  const problem = valueProblem(reason);
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
  colour: t`Color`,
  current_password: t`Your password`,
  customer_name: t`Name`,
  data: t`Logo`,
  description: t`Description`,
  display_name: t`Name`,
  duration_days: t`Days`,
  email: t`Email address`,
  emails: t`Email addresses`,
  expires_at: t`Last day`,
  external_ref: t`External ID`,
  features: t`Features`,
  from: t`From`,
  hours_before: t`Hours before the end`,
  letterhead: t`Letterhead`,
  memo: t`Memo`,
  name: t`Name`,
  new_password: t`New password`,
  password: t`Password`,
  periods: t`Sold for`,
  plans_ending_days: t`Days before the end`,
  prices: t`Prices`,
  rate_limit_per_minute: t`Requests per minute`,
  reason: t`Reason`,
  role: t`Role`,
  scopes: t`Scopes`,
  support_address: t`Support email`,
  percent_off: t`Percent off`,
  to: t`To`,
  until: t`Until`,
  url: t`Address`,
  username: t`Username`,
};

const problems: readonly (readonly [RegExp, (...found: string[]) => string])[] = [
  [/must not be blank|must not be empty|can be seen/, () => t`Required.`],
  [/must have at most ([\d,]+) characters/, (most) => t`Use at most ${most} characters.`],
  [/must have at least ([\d,]+) characters/, (least) => t`Use at least ${least} characters.`],
  [/must have ([\d,]+) to ([\d,]+) characters/, (least, most) => t`Use ${least} to ${most} characters.`],
  [
    /must be a whole number from ([\d,]+) to ([\d,]+)/,
    (least, most) => t`Enter a whole number from ${least} to ${most}.`,
  ],
  [/most used passwords/, () => t`This password is too common. Choose another one.`],
  [
    /must not contain the name of the account/,
    () => t`Must not contain the account’s name or the name of this program.`,
  ],
  [/must differ from the current/, () => t`Choose a different password from your current one.`],
  [/e-mail address/, () => t`Enter an email address, such as anna@example.com.`],
  [/needed for an invitation/, () => t`Required for invitations.`],
  [/must be in the future|whole second in UTC, in the future/, () => t`Must be in the future.`],
  [/must not be in the past/, () => t`Must not be in the past.`],
  [/must be later than from/, () => t`The end is before the start.`],
  [/price lists are still to come/, () => t`Too many prices are scheduled. Delete some first.`],
  [/^retired$/, () => t`No longer available.`],
  [/has passed/, () => t`This day has passed. Choose a later one.`],
  [/must not be before/, () => t`The end is before the start.`],
  [/above 0\.00|must not be zero|more than 0\.00/, () => t`Must be more than zero.`],
  [/must be an amount/, () => t`Enter an amount, such as 12.50.`],
  [/balance would be too large/, () => t`The balance would exceed the maximum.`],
  [/must name at least one price/, () => t`Enter at least one price.`],
  [/control characters/, () => t`Contains characters that aren’t allowed here.`],
  [/IP address or CIDR range/, () => t`Enter a valid IP address or range.`],
  [/bits set beyond the prefix/, () => t`The address doesn’t match its range length.`],
  [/must be a PNG or a JPEG/, () => t`The file must be a PNG or JPEG.`],
  [
    /16 bits a colour or interlaced/,
    () => t`This type of PNG isn’t supported. Save it with 8 bits per color, without interlacing.`,
  ],
  [/JPEG in RGB or grey/, () => t`This type of JPEG isn’t supported. Save it as RGB or grayscale.`],
  [/that cannot be read/, () => t`The image can’t be read.`],
  [/256 KiB/, () => t`The file is too large. Use up to 256 KB.`],
  [/pixels a side/, () => t`The image is too large.`],
  [/times the other/, () => t`The image is too long. One side can be at most eight times the other.`],
  [/ten years in one/, () => t`Up to ten years at a time.`],
  [/year 2199/, () => t`The clock can’t go past the year 2199.`],
  [/forward only/, () => t`The clock can only move forward.`],
  [/your own login/, () => t`This is your own sign-in. Change it on the “Security” page.`],
];

/** Returns the problem without the field's name, for a text below the field itself. */
export function valueProblem(reason: string): string {
  for (const [pattern, say] of problems) {
    const found = pattern.exec(reason);
    if (found !== null) return say(...found.slice(1));
  }
  return t`Invalid value.`;
}
