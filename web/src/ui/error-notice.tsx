import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { CircleAlert } from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';
import { ApiError } from '../api/client.ts';
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

/** Also for the results of single rows. */
export function errorMessageOf(error: Error): ReactNode {
  if (!(error instanceof ApiError)) return t`Something went wrong on this page. Reload it and try again.`;
  switch (error.code) {
    case 'network':
    case 'unreadable':
      return error.message;
    case 'internal_error':
      return t`Something went wrong on our side. Include the request ID when contacting support.`;
    case 'service_unavailable':
      return t`The service is temporarily unavailable. Try again in a moment; nothing is charged twice.`;
    case 'rate_limited':
      return t`Too many requests. Try again in ${Math.max(1, error.retryAfterSeconds)} seconds.`;
    default:
      return (
        <Suspense>
          <CodeSentence error={error} />
        </Suspense>
      );
  }
}
