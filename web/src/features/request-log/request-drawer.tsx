// Drawer of request-list.tsx with one request: what its code means, its customer and order, and its bodies.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { requestQuery } from '../../api/log-queries.ts';
import { useMe } from '../../api/me.ts';
import type { RequestDetail } from '../../api/shapes.ts';
import { formatMilliseconds } from '../../text/language.ts';
import { BodyBox } from '../../ui/body-box.tsx';
import { Copied } from '../../ui/copied.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import type { OpenRow } from '../../ui/open-row.ts';
import { CustomerLink } from '../../ui/page-links.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { asCurl } from './as-curl.ts';
import { BodyCapture } from './body-capture-switch.tsx';
import { refusalMeaning } from './refusal-meanings.ts';
import { StatusBadge } from './status-badge.tsx';

interface RequestDrawerProps {
  /** null means the signed-in account. */
  readonly accountId: number | null;
  readonly number: string;
  readonly steps: Pick<OpenRow<unknown>, 'close' | 'onNewer' | 'onOlder'>;
}

export function RequestDrawer({ accountId, number, steps }: RequestDrawerProps) {
  const { data, error, refetch } = useQuery(requestQuery(accountId, number));
  const { api_url: apiUrl } = useMe();
  const line = data?.request;
  return (
    <Drawer
      title={
        line === undefined ? (
          t`Request`
        ) : (
          <span className="font-mono text-sm">
            {line.method} {line.path}
          </span>
        )
      }
      description={
        line === undefined ? undefined : (
          <span className="flex flex-wrap items-center gap-2">
            <StatusBadge status={line.status} />
            <Time at={line.at} style="second" />
          </span>
        )
      }
      opened={steps}
      actions={
        data === undefined || accountId !== null ? undefined : (
          <CopyButton text={asCurl(data, apiUrl)} label={t`Copy as curl`} labeled />
        )
      }
    >
      {error !== null ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton className="h-40 w-full" />
      ) : (
        <RequestParts detail={data} accountId={accountId} />
      )}
    </Drawer>
  );
}

interface RequestPartsProps {
  readonly detail: RequestDetail;
  readonly accountId: number | null;
}

function RequestParts({ detail, accountId }: RequestPartsProps) {
  const { request, exchange, bodies_kept: capturesBodies } = detail;
  return (
    <>
      {request.code === null ? null : <CodeMeaning code={request.code} />}
      {/* The facts box clips overflow, so it must not shrink. */}
      <div className="shrink-0">
        <Facts facts={factsOf(detail, accountId)} />
      </div>
      {exchange === null && !capturesBodies && accountId === null ? (
        <div className="rounded-control border border-line p-3.5">
          <p className="mb-3 text-soft">{t`Bodies aren’t being logged.`}</p>
          <BodyCapture kept={capturesBodies} />
        </div>
      ) : exchange === null ? (
        <p className="text-soft">
          {capturesBodies
            ? t`No body was stored for this request.`
            : t`Bodies aren’t being logged. The account can turn on logging on its “Requests” page.`}
        </p>
      ) : (
        <>
          <Part title={t`Request`}>
            <Headers
              headers={[
                ['Idempotency-Key', exchange.sent.idempotency_key],
                ['Content-Type', exchange.sent.content_type],
                ['User-Agent', exchange.sent.user_agent],
                [t`Query`, exchange.sent.query],
              ]}
            />
            <BodyBox
              label={t`Request body`}
              body={exchange.sent.body}
              note={keptNote(exchange.sent.is_cut)}
              none={t`No body was sent, or it wasn’t read.`}
            />
          </Part>
          <Part title={t`Response`}>
            <BodyBox
              label={t`Response body`}
              body={exchange.answered.body}
              note={keptNote(exchange.answered.is_cut)}
              none={t`The response had no body or was a file.`}
            />
          </Part>
        </>
      )}
    </>
  );
}

function CodeMeaning({ code }: { readonly code: string }) {
  const meaning = refusalMeaning(code);
  return (
    <div className="space-y-1 rounded-control bg-warn-fill px-3.5 py-3">
      <p>
        <code className="font-mono font-medium">{code}</code>
      </p>
      {meaning === undefined ? null : (
        <>
          <p>{meaning.means}</p>
          <p>{meaning.toDo}</p>
        </>
      )}
      <p>
        <a
          className="underline underline-offset-2"
          href={`/docs/errors#${code}`}
          target="_blank"
          rel="noreferrer"
        >
          {t`This code in the docs`}
        </a>
      </p>
    </div>
  );
}

function factsOf({ request, customer, order }: RequestDetail, accountId: number | null): Fact[] {
  const facts: Fact[] = [];
  if (customer !== null) {
    const { id, reference } = customer;
    facts.push({
      name: t`Customer`,
      value: accountId === null ? <CustomerLink id={id}>{reference}</CustomerLink> : <bdi>{reference}</bdi>,
    });
  }
  if (order !== null) {
    const orderId = String(order.id);
    facts.push({
      name: t`Order`,
      value: (
        <TextLink
          to={accountId === null ? '/orders/$orderId' : '/admin/orders/$orderId'}
          params={{ orderId }}
        >
          {orderId}
        </TextLink>
      ),
    });
  }
  facts.push(
    {
      name: t`Key`,
      value: request.key === null ? t`not recorded` : request.key.name || t`unnamed`,
    },
    { name: t`From`, value: <code className="font-mono text-xs">{request.address}</code> },
    { name: t`Duration`, value: formatMilliseconds(request.milliseconds) },
    {
      name: t`Request ID`,
      value: <Copied text={request.request_id} label={t`Copy request ID ${request.request_id}`} />,
    },
  );
  return facts;
}

function keptNote(isCut: boolean): string {
  return isCut ? t`Truncated to 4 KB` : t`Secrets are redacted`;
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="space-y-2">
      <h3 className="font-semibold">{title}</h3>
      {children}
    </section>
  );
}

function Headers({ headers }: { readonly headers: readonly (readonly [string, string | null])[] }) {
  const sent = headers.filter(([, value]) => value !== null);
  if (sent.length === 0) return null;
  return (
    <Facts
      facts={sent.map(([name, value]) => ({
        name,
        value: <code className="font-mono text-xs wrap-anywhere">{value}</code>,
      }))}
    />
  );
}
