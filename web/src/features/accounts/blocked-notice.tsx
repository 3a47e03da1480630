// Says on a blocked account's page what the block does, since when and by whom, and lifts it.

import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { LockOpen } from 'lucide-react';
import { accountOutlookQuery, auditQuery } from '../../api/console-queries.ts';
import type { Account, FoundAuditEntry } from '../../api/shapes.ts';
import { Actions } from '../../ui/actions.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { BlockDialog } from './block-dialog.tsx';

interface BlockedNoticeProps {
  readonly account: Account;
  readonly canManage: boolean;
}

export function BlockedNotice({ account, canManage }: BlockedNoticeProps) {
  const { data: log } = useQuery(auditQuery({ target: `account:${account.id}`, action: 'account.update' }));
  const { data } = useQuery(accountOutlookQuery(account.id));
  const blocking = log?.data.find(isBlocking)?.entry;
  const reason = blocking === undefined ? '' : reasonOf(blocking);
  const plans = data?.outlook?.active_plans ?? 0;
  return (
    <Notice tone="warn">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-72">
          <p className="font-medium">
            {blocking === undefined ? (
              t`This account is blocked.`
            ) : (
              <Trans>
                Blocked since <Time at={blocking.at} /> by <bdi>{nameOf(blocking)}</bdi>.
              </Trans>
            )}
          </p>
          {reason === '' ? null : (
            <p className="wrap-anywhere">
              <Trans>
                Reason: <bdi>{reason}</bdi>
              </Trans>
            </p>
          )}
          <p>
            {t`The API and the panel refuse it, and its plans don’t renew themselves.`}{' '}
            {plans === 0
              ? null
              : plural(plans, {
                  one: '# active plan continues until it ends.',
                  other: '# active plans continue until they end.',
                })}
          </p>
        </div>
        {canManage ? (
          <Actions
            actions={[
              {
                id: 'unblock',
                title: t`Unblock`,
                icon: LockOpen,
                dialog: (onClose) => <BlockDialog account={account} onClose={onClose} />,
              },
            ]}
          />
        ) : null}
      </div>
    </Notice>
  );
}

function isBlocking({ entry: { after } }: FoundAuditEntry): boolean {
  return typeof after === 'object' && after !== null && 'blocked' in after && after.blocked === true;
}

function reasonOf({ after }: FoundAuditEntry['entry']): string {
  const isNamed = typeof after === 'object' && after !== null && 'reason' in after;
  return isNamed && typeof after.reason === 'string' ? after.reason : '';
}

function nameOf({ by, actor }: FoundAuditEntry['entry']): string {
  return by?.type === 'person' ? by.name : actor.username;
}
