// One line above the operator's figures: the accounts whose balance runs out first.

import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { listedAccountsQuery } from '../../api/business-queries.ts';
import { formatSeriesDate } from '../../text/times.ts';
import { AccountLink } from '../../ui/page-links.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { isSoon, soonDays } from '../business/soon.ts';

const namedMax = 3;

export function RunningOutLine() {
  const { data } = useQuery(listedAccountsQuery('runs_out_on'));
  // A blank line reserves the space while it loads.
  if (data === undefined) return '\u00a0';
  const soon = data.accounts.filter(({ runs_out_on: day }) => isSoon(day));
  if (soon.length === 0) return t`Every balance covers the next ${soonDays} days.`;
  return (
    <>
      <TriangleAlert aria-hidden="true" className="mr-1.5 mb-0.5 inline size-4 text-warn" />
      <TextLink to="/admin" search={{ tab: 'accounts' }}>
        {plural(soon.length, {
          one: '# account runs out within 10 days',
          other: '# accounts run out within 10 days',
        })}
      </TextLink>
      {': '}
      {soon.slice(0, namedMax).map(({ account: { id, username }, runs_out_on: day }, index) => (
        <span key={id}>
          {index === 0 ? '' : ', '}
          <AccountLink id={id}>{username}</AccountLink> {day === null ? '' : formatSeriesDate(day, 'short')}
        </span>
      ))}
      {soon.length > namedMax ? ' …' : ''}
    </>
  );
}
