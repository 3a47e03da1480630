// Shows what an account pays now beside what its group pays, and the account's price lists.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { Tags } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useMay } from '../../api/person.ts';
import { allPackagesQuery } from '../../api/queries.ts';
import type { Account, AdminPackage, ComparedPrice } from '../../api/shapes.ts';
import { accountPricesQuery } from '../../api/support-queries.ts';
import { formatMoney, toCents } from '../../text/amounts.ts';
import { groupWord, periods } from '../../text/words.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Money } from '../../ui/money.tsx';
import { RowLink } from '../../ui/text-link.tsx';
import { ComparedPrices, changeWords } from '../packages/compared-prices.tsx';
import { listInForce, PriceListsCard } from './account-price-lists.tsx';
import { AccountPricesDialog } from './account-prices-dialog.tsx';
import { DistantPrices } from './distant-prices.tsx';
import type { PackagePrices } from './own-prices.ts';

export function AccountPricesCards({ account }: { readonly account: Account }) {
  const query = useQuery(accountPricesQuery(account.id));
  const mayChange = useMay()('admin:packages');
  const [isOpen, setIsOpen] = useState(false);
  const { currency } = account;
  const found = query.data;
  const { data: packages } = useQuery(allPackagesQuery);
  const rows = useMemo(
    () => (found === undefined || packages === undefined ? undefined : soldPrices(found.now, packages.data)),
    [found, packages],
  );
  const own = (rows ?? []).flatMap(({ package: { name }, prices }) =>
    prices.map(({ period, price, group_price: ofGroup }) => ({
      ...{ packageName: name, period },
      ...{ price: toCents(price), ofGroup: toCents(ofGroup) },
    })),
  );
  const columns: readonly Column<PackagePrices>[] = [
    {
      title: t`Package`,
      grows: true,
      cell: ({ package: { id, name } }) => (
        <RowLink to="/admin/packages/$packageId" params={{ packageId: String(id) }}>
          <bdi>{name}</bdi>
        </RowLink>
      ),
    },
    ...periods.map(
      ({ months, title }): Column<PackagePrices> => ({
        title,
        align: 'end',
        from: 'sm',
        cell: ({ prices }) => (
          <PaidPrice one={prices.find((each) => each.months === months)} {...{ currency }} />
        ),
      }),
    ),
  ];
  return (
    <>
      <Card
        title={t`Prices`}
        description={t`What the account pays now, beside the price of its group: ${groupWord(account.group)}.`}
        action={
          mayChange && rows !== undefined ? (
            <Button onClick={() => setIsOpen(true)}>{t`Set prices`}</Button>
          ) : undefined
        }
        flush
      >
        <DistantPrices prices={own} currency={currency} className="px-4 pb-4 md:px-5" />
        <div className="border-t border-line">
          <DataTable
            caption={t`What the account pays now`}
            columns={columns}
            rows={rows}
            error={query.error}
            onRetry={() => void query.refetch()}
            rowKey={({ package: { id } }) => id}
            phone={({ prices }) => <ComparedPrices prices={prices} currency={currency} />}
            empty={<EmptyState icon={Tags} title={t`No packages available`} />}
          />
        </div>
      </Card>
      <PriceListsCard account={account} query={query} />
      {isOpen && found !== undefined && rows !== undefined ? (
        <AccountPricesDialog
          account={account}
          offered={rows}
          present={listInForce(found.data)}
          onClose={() => setIsOpen(false)}
        />
      ) : null}
    </>
  );
}

function soldPrices(
  now: readonly PackagePrices[],
  packages: readonly AdminPackage[],
): readonly PackagePrices[] {
  const sold = new Map(packages.map(({ id, periods: ofPackage }) => [id, ofPackage]));
  return now.map((one) => ({
    ...one,
    prices: one.prices.filter(({ period }) => sold.get(one.package.id)?.includes(period) ?? true),
  }));
}

interface PaidPriceProps {
  readonly one: ComparedPrice | undefined;
  readonly currency: string;
}

function PaidPrice({ one, currency }: PaidPriceProps) {
  if (one === undefined) return '–';
  return (
    <span className="inline-flex flex-col items-end py-0.5 leading-snug">
      <Money
        amount={one.price}
        currency={currency}
        {...(one.price_rule !== 'group' && { className: 'font-medium' })}
      />
      <span className="text-xs whitespace-nowrap text-soft">
        <RuleOf one={one} currency={currency} />
      </span>
    </span>
  );
}

/** Such as "Own price · group $10.00 (−12.5%)". */
function RuleOf({ one, currency }: PaidPriceProps & { readonly one: ComparedPrice }) {
  if (one.price_rule === 'group') return t`Group price`;
  const group = formatMoney(one.group_price, currency);
  return (
    <>
      {t`Own price · group ${group}`}
      {changeWords(toCents(one.price), toCents(one.group_price))}
    </>
  );
}
