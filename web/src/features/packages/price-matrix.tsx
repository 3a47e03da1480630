import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { AdminPackage, Group, PeriodName, ScheduledPrices } from '../../api/shapes.ts';
import { readAmount, typedAmount } from '../../text/amounts.ts';
import { periods } from '../../text/words.ts';
import { classNames } from '../../ui/class-names.ts';
import { inputClasses } from '../../ui/field.tsx';
import { savingPercent } from './saving-percent.ts';

export type TypedPrices = Readonly<Record<Group, Readonly<Record<PeriodName, string>>>>;

const none = { monthly: '', quarterly: '', yearly: '' };
export const emptyPrices: TypedPrices = { reseller: none, distributor: none };

const groups = [
  { group: 'reseller', title: t`Reseller` },
  { group: 'distributor', title: t`Distributor` },
] as const;

interface PriceMatrixProps {
  readonly prices: TypedPrices;
  readonly currency: string;
  readonly onChange: (prices: TypedPrices) => void;
  readonly shown?: TypedPrices;
}

export function PriceMatrix({ prices, currency, onChange, shown }: PriceMatrixProps) {
  return (
    <table className="w-full max-w-2xl table-fixed border-collapse">
      <caption className="sr-only">
        <Trans>Prices in {currency}</Trans>
      </caption>
      <thead>
        <tr className="text-left text-xs text-soft">
          <th scope="col" className="w-24 pb-1 font-medium">
            {currency}
          </th>
          {groups.map(({ group, title }) => (
            <th key={group} scope="col" className="pb-1 pl-3 font-medium">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {periods.map(({ months, period, title }) => (
          <tr key={period}>
            <th scope="row" className="py-1 text-left align-top leading-9 font-medium">
              {title}
            </th>
            {groups.map(({ group, title: groupTitle }) => {
              const typed = prices[group][period];
              const price = readAmount(typed);
              const isWrong = typed.trim() !== '' && price === null;
              const monthly = prices[group].monthly.trim() === '' ? shown?.[group].monthly : undefined;
              const saving = savingPercent(price, readAmount(monthly ?? prices[group].monthly), months);
              return (
                <td key={group} className="py-1 pl-3 align-top">
                  <div className="relative">
                    <input
                      aria-label={`${groupTitle}, ${title.toLowerCase()}`}
                      aria-invalid={isWrong || undefined}
                      inputMode="decimal"
                      autoComplete="off"
                      placeholder={typedAmount(shown?.[group][period] ?? '0.00')}
                      value={typed}
                      onChange={(event) =>
                        onChange({ ...prices, [group]: { ...prices[group], [period]: event.target.value } })
                      }
                      className={`${inputClasses} figures text-right`}
                    />
                    {/* In the field where it is wide, so that the rows stand at even distances. */}
                    <p
                      aria-live="polite"
                      className={classNames(
                        'text-right text-xs',
                        isWrong
                          ? 'pt-0.5 text-bad'
                          : 'pointer-events-none text-soft sm:absolute sm:inset-y-0 sm:left-3 sm:flex sm:items-center',
                      )}
                    >
                      {isWrong ? t`Enter an amount, such as 29.00` : savingWords(months, saving)}
                    </p>
                  </div>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function savingWords(months: number, saving: number | null): string {
  if (months === 1 || saving === null) return '';
  return saving === 0 ? t`no saving` : t`saves ${saving}%`;
}

export function typedPrices(prices: AdminPackage['prices']): TypedPrices {
  const ofGroup = ({ monthly, quarterly, yearly }: AdminPackage['prices'][Group]) => ({
    monthly: typedAmount(monthly),
    quarterly: typedAmount(quarterly),
    yearly: typedAmount(yearly),
  });
  return { reseller: ofGroup(prices.reseller), distributor: ofGroup(prices.distributor) };
}

/** Returns null if a price is missing or invalid. */
export function readPrices(typed: TypedPrices): AdminPackage['prices'] | null {
  const ofGroup = (group: Group) => {
    const [monthly, quarterly, yearly] = periods.map(({ period }) => readAmount(typed[group][period]));
    return monthly && quarterly && yearly ? { monthly, quarterly, yearly } : null;
  };
  const reseller = ofGroup('reseller');
  const distributor = ofGroup('distributor');
  return reseller && distributor ? { reseller, distributor } : null;
}

/** Returns null if no price was typed or one is invalid. */
export function readSomePrices(typed: TypedPrices): ScheduledPrices['prices'] | null {
  const isWrong = (text: string) => text.trim() !== '' && readAmount(text) === null;
  if (groups.some(({ group }) => periods.some(({ period }) => isWrong(typed[group][period])))) return null;
  return someOf((group, period) => readAmount(typed[group][period]));
}

/** Leaves out unchanged prices, so that an old page does not revert prices that began meanwhile. */
export function changedPrices(
  read: AdminPackage['prices'],
  before: AdminPackage['prices'],
): ScheduledPrices['prices'] | null {
  return someOf((group, period) =>
    read[group][period] === before[group][period] ? null : read[group][period],
  );
}

function someOf(
  priceOf: (group: Group, period: PeriodName) => string | null,
): ScheduledPrices['prices'] | null {
  const named = groups.flatMap(({ group }) => {
    const ofGroup = periods.flatMap(({ period }) => {
      const price = priceOf(group, period);
      return price === null ? [] : [[period, price]];
    });
    return ofGroup.length === 0 ? [] : [[group, Object.fromEntries(ofGroup)]];
  });
  return named.length === 0 ? null : Object.fromEntries(named);
}
