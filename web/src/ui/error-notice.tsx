import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { CircleAlert } from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';
import { ApiError } from '../api/client.ts';
import { formatMoney } from '../text/amounts.ts';
import { loadTexts } from '../text/texts.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { unknownRefusal } from './unknown-refusal.ts';

interface ErrorNoticeProps {
  readonly error: Error;
  readonly onRetry?: () => void;
  readonly children?: ReactNode;
}

export function ErrorNotice({ error, onRetry, children }: ErrorNoticeProps) {
  // Only failures of the service need support, which asks for the id.
  const requestId = error instanceof ApiError && error.status >= 500 ? error.requestId : '';
  const [fill, icon] = isMissing(error) ? ['bg-fill', 'text-soft'] : ['bg-bad-fill', 'text-bad'];
  return (
    <div role="alert" className={`flex gap-2.5 rounded-control px-3.5 py-3 text-ink ${fill}`}>
      <CircleAlert aria-hidden="true" className={`mt-0.5 size-4 shrink-0 ${icon}`} />
      <div className="min-w-0 flex-1 space-y-1">
        <p className="wrap-anywhere">{errorMessageOf(error)}</p>
        {children}
        {requestId === '' ? null : (
          <p className="flex flex-wrap items-center gap-x-1 text-xs text-soft">
            <Trans>
              Request <code className="font-mono wrap-anywhere">{requestId}</code>
              <CopyButton text={requestId} label={t`Copy request ID`} />
            </Trans>
          </p>
        )}
        {onRetry === undefined || isMissing(error) ? null : (
          <Button className="mt-1" onClick={onRetry}>
            {t`Try again`}
          </Button>
        )}
      </div>
    </div>
  );
}

/** True if a retry would fail again. */
export function isMissing(error: Error): boolean {
  return error instanceof ApiError && error.status === 404;
}

const CodeSentence = lazy(() =>
  loadSentences().catch(() => ({ default: (_: { readonly error: ApiError }) => unknownRefusal() })),
);
async function loadSentences() {
  await loadTexts('seldom');
  return import('./error-sentences.tsx');
}

function errorMessageOf(error: Error): ReactNode {
  const general =
    error instanceof ApiError && error.code !== 'network' && error.code !== 'unreadable' ? (
      <Suspense>
        <CodeSentence error={error} />
      </Suspense>
    ) : (
      error.message
    );
  if (!(error instanceof ApiError)) return t`Something went wrong on this page. Reload it and try again.`;
  const reason = error.detail('reason');
  switch (error.code) {
    case 'insufficient_credit': {
      const currency = error.detail('currency');
      if (currency === '') return general;
      const money = (name: string) => formatMoney(error.detail(name), currency);
      return t`The balance of ${money('balance')} is too low: ${money('required')} is needed. Nothing was charged.`;
    }
    case 'internal_error':
      return t`Something went wrong on our side. Include the request ID when contacting support.`;
    case 'service_unavailable':
      return t`The service is temporarily unavailable. Try again in a moment; nothing is charged twice.`;
    case 'invalid_package':
      return t`This package cannot be ordered.`;
    case 'price_changed': {
      const currency = error.detail('currency');
      if (currency === '') return general;
      const money = (name: string) => formatMoney(error.detail(name), currency);
      return t`The price is now ${money('charge')} instead of ${money('max_charge')}. Nothing was charged. Check the new price and confirm it.`;
    }
    case 'rate_limited':
      return t`Too many requests. Try again in ${Math.max(1, error.retryAfterSeconds)} seconds.`;
    case 'totp_not_enabled':
      return t`Two-factor authentication is off, or wasn’t confirmed within 15 minutes. Close this dialog and start again.`;
    case 'order_failed':
      return orderFailures[reason] ?? general;
    case 'idempotency_conflict':
      return t`An earlier attempt from this dialog was accepted with different data. Close it and check your latest orders.`;
    case 'invalid_customer':
      return error.detail('field') === 'customer_name'
        ? t`Use at most 120 characters and no control characters.`
        : t`Enter an email address, or a username with letters, digits, dots, underscores and hyphens.`;
    case 'address_locked_out':
      return t`This allow-list does not include your address, ${error.detail('address')}. Requests with your key from there will be refused.`;
    default:
      return general;
  }
}

const orderFailures: Readonly<Record<string, string>> = {
  order_pending: t`An order for this customer is still waiting for the operator’s product. Try again once it is settled.`,
  plan_changed: t`This customer now has a different package. Open the customer and renew from there.`,
  account_full: t`This account has used all its order numbers. Ask the operator for a second account or, in test mode, reset the test.`,
  plan_not_running: t`The plan is no longer running. Nothing was changed.`,
  account_halted: t`This account is frozen until the operator has checked its ledger.`,
  term_too_long: t`The plan would end more than 10 years ahead. Nothing was charged.`,
};
