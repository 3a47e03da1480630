// The price fields of an account's own price list: three per package.

import { t } from '@lingui/core/macro';
import { useId } from 'react';
import type { PeriodName } from '../../api/shapes.ts';
import { formatMoney, fromCents, readAmount, toCents, typedAmount } from '../../text/amounts.ts';
import { periods } from '../../text/words.ts';
import { classNames } from '../../ui/class-names.ts';
import { inputClasses } from '../../ui/field.tsx';
import { changeWords } from '../packages/compared-prices.tsx';
import { distanceOf, lessPercent, type PackagePrices, priceOf, type TypedOwnPrices } from './own-prices.ts';

interface OwnPriceFieldsProps {
  readonly offered: readonly PackagePrices[];
  readonly currency: string;
  readonly typed: TypedOwnPrices;
  /** In hundredths of a percent, or null if it is invalid. */
  readonly percent: bigint | null;
  /** The package that the service refused. */
  readonly wrong: { readonly id: number; readonly problem: string } | null;
  readonly onType: (typed: TypedOwnPrices) => void;
}

export function OwnPriceFields({ offered, currency, typed, percent, wrong, onType }: OwnPriceFieldsProps) {
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium">{t`Prices in ${currency}`}</legend>
      {offered.map(({ package: { id, name }, prices }) => (
        <PackageFields
          key={id}
          {...{ name, prices, currency, percent }}
          typed={typed[id] ?? {}}
          problem={wrong?.id === id ? wrong.problem : null}
          onType={(period, text) => onType({ ...typed, [id]: { ...typed[id], [period]: text } })}
        />
      ))}
    </fieldset>
  );
}

interface PackageFieldsProps {
  readonly name: string;
  readonly prices: PackagePrices['prices'];
  readonly currency: string;
  readonly typed: TypedOwnPrices[number];
  readonly percent: bigint | null;
  readonly problem: string | null;
  readonly onType: (period: PeriodName, text: string) => void;
}

function PackageFields({ name, prices, currency, typed, percent, problem, onType }: PackageFieldsProps) {
  const titleId = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a nested fieldset's legend cannot stand beside its fields.
    <div
      role="group"
      aria-labelledby={titleId}
      className="gap-x-4 border-t border-line py-2 sm:grid sm:grid-cols-[9rem_1fr]"
    >
      <div className="min-w-0 pb-1 sm:pt-6">
        <p id={titleId} className="font-medium wrap-anywhere">
          <bdi>{name}</bdi>
        </p>
        {problem === null ? null : (
          <p role="alert" className="text-xs text-bad">
            {problem}
          </p>
        )}
      </div>
      <div className="grid grid-cols-3 gap-2 sm:gap-3">
        {periods.map(({ months, period, title }) => {
          const one = prices.find((each) => each.months === months);
          if (one === undefined) return null;
          return (
            <PriceField
              key={period}
              label={`${name}, ${title.toLowerCase()}`}
              {...{ title, currency, percent }}
              ofGroup={toCents(one.group_price)}
              typed={typed[period] ?? ''}
              isRefused={problem !== null}
              onType={(text) => onType(period, text)}
            />
          );
        })}
      </div>
    </div>
  );
}

interface PriceFieldProps {
  readonly label: string;
  readonly title: string;
  readonly currency: string;
  readonly percent: bigint | null;
  readonly ofGroup: bigint;
  readonly typed: string;
  readonly isRefused: boolean;
  readonly onType: (text: string) => void;
}

function PriceField({ label, title, currency, percent, ofGroup, typed, isRefused, onType }: PriceFieldProps) {
  const id = useId();
  const isWrong = typed.trim() !== '' && readAmount(typed) === null;
  const price = priceOf(typed, ofGroup, percent);
  const group = formatMoney(fromCents(ofGroup), currency);
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-0.5 block text-xs text-soft">
        {title}
      </label>
      <input
        id={id}
        aria-label={label}
        aria-invalid={isWrong || isRefused || undefined}
        aria-describedby={`${id}-note`}
        inputMode="decimal"
        autoComplete="off"
        placeholder={typedAmount(fromCents(lessPercent(ofGroup, percent ?? 0n)))}
        value={typed}
        onChange={(event) => onType(event.target.value)}
        className={`${inputClasses} figures px-2 text-right`}
      />
      <p id={`${id}-note`} className="figures min-h-9 pt-0.5 text-right text-xs text-soft">
        {isWrong ? (
          <span className="text-bad">{t`Enter an amount, such as ${typedAmount('29.00')}`}</span>
        ) : price === null ? null : (
          <>
            <span
              className={classNames('block', distanceOf(price, ofGroup) === null ? 'text-ink' : 'text-warn')}
            >
              {t`Pays ${formatMoney(fromCents(price), currency)}`}
              {changeWords(price, ofGroup)}
            </span>
            <span className="block">{t`Group ${group}`}</span>
          </>
        )}
      </p>
    </div>
  );
}
