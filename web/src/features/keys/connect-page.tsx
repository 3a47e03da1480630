// Where an invitation leads: a first test order by one curl that runs as it is, the request as it arrives, then the same
// with the live key.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Eye, EyeOff } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { createConnectTestKey, ownKeys } from '../../api/commands.ts';
import { connectRequestsQuery } from '../../api/connect-queries.ts';
import { useMe } from '../../api/me.ts';
import { useMay } from '../../api/person.ts';
import { keysQuery, packagesQuery } from '../../api/queries.ts';
import { useCommand } from '../../api/use-command.ts';
import { Badge } from '../../ui/badge.tsx';
import { BodyBox } from '../../ui/body-box.tsx';
import { AnchorButton, Button } from '../../ui/button.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Card } from '../../ui/card.tsx';
import { Choice } from '../../ui/choice.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Time } from '../../ui/time.tsx';
import { useList } from '../../ui/use-list.ts';
import { collectionOf } from './api-collection.ts';
import { firstRequest, type Language, languages } from './first-request.ts';
import { ShowKeyDialog } from './show-key-dialog.tsx';

const testKeyName = 'Connect';

export function ConnectPage() {
  const { api_url: apiUrl } = useMe();
  const may = useMay();
  const { data: packages } = useQuery(packagesQuery);
  const packageId = packages?.data[0]?.id ?? 1;
  const [liveKey, setLiveKey] = useState<string | null>(null);
  const [isAsking, setIsAsking] = useState(false);
  const { search, change } = useList(['language']);
  const language = languages.find(({ value }) => value === search.language)?.value ?? 'curl';
  const order = (key: string, as: Language = 'curl') => firstRequest(as, { address: apiUrl, key, packageId });
  return (
    <>
      <PageHeader title={t`Connect`} description={t`From your terminal to a first order in a minute.`} />
      <div className="page-stack gap-5">
        <Card
          title={t`1. Place a test order`}
          description={t`Nothing is charged, and no customer gets a plan.`}
        >
          <p className="mb-3">
            {t`Base address`}: <code className="font-mono wrap-anywhere">{apiUrl}</code>
          </p>
          {may('keys:write') ? <TestOrder orderWith={order} /> : null}
          <Arrivals mode="test" />
        </Card>
        <Card
          title={t`2. The same with your live key`}
          description={
            liveKey === null
              ? t`Show your key, and it is filled in. This order is charged.`
              : t`This order is charged. Don’t share it.`
          }
          action={
            <Choice
              label={t`Language`}
              value={language}
              options={languages}
              onChoose={(value) => change({ language: value === 'curl' ? '' : value })}
            />
          }
        >
          <BodyBox
            label={t`Live order`}
            body={order(liveKey ?? 'sk_live_YOUR_KEY', language)}
            note="POST /orders"
            none=""
          />
          <div className="mt-3 flex flex-wrap gap-2">
            {may('keys:write') ? (
              <Button
                icon={liveKey === null ? Eye : EyeOff}
                onClick={() => (liveKey === null ? setIsAsking(true) : setLiveKey(null))}
              >
                {liveKey === null ? t`Show key` : t`Hide`}
              </Button>
            ) : null}
            <ButtonLink to="/api-access">{t`All keys`}</ButtonLink>
          </div>
          <Arrivals mode="live" />
        </Card>
        <Card title={t`3. Build it in`} description={t`Clients, modules and a collection of every request.`}>
          <div className="flex flex-wrap gap-2">
            <AnchorButton href="/docs/downloads">{t`Clients and modules`}</AnchorButton>
            <Collection apiUrl={apiUrl} />
            <ButtonLink to="/events">{t`Events`}</ButtonLink>
            <ButtonLink to="/webhooks">{t`Webhooks`}</ButtonLink>
          </div>
        </Card>
      </div>
      {isAsking ? <ShowKeyDialog onKey={setLiveKey} onClose={() => setIsAsking(false)} /> : null}
    </>
  );
}

function TestOrder({ orderWith }: { readonly orderWith: (key: string) => string }) {
  const { data: keys } = useQuery(keysQuery(ownKeys.path));
  // The key is kept in memory only, so leaving the page hides it.
  const [key, setKey] = useState<string | null>(null);
  const command = useCommand(createConnectTestKey, { onDone: ({ api_key: made }) => setKey(made) });
  const hasOne = keys?.data.some(({ name, mode }) => mode === 'test' && name === testKeyName);
  const isAsked = useRef(false);
  const { mutate } = command;
  useEffect(() => {
    if (hasOne !== false || isAsked.current) return;
    isAsked.current = true;
    mutate(undefined);
  }, [hasOne, mutate]);
  return (
    <>
      {command.error === null ? null : <ErrorNotice error={command.error} />}
      <BodyBox
        label={t`Test order`}
        body={orderWith(key ?? 'sk_test_YOUR_KEY')}
        note={key === null ? 'POST /orders' : t`With a test key. Runs as it is.`}
        none=""
      />
      {key === null && hasOne === true ? (
        <Button className="mt-3" busy={command.isPending} onClick={() => mutate(undefined)}>
          {t`New test key`}
        </Button>
      ) : null}
    </>
  );
}

function Arrivals({ mode }: { readonly mode: 'test' | 'live' }) {
  const { data } = useQuery(connectRequestsQuery(mode));
  const shown = data?.data.slice(0, 5) ?? [];
  return (
    <section
      aria-label={mode === 'test' ? t`Test requests` : t`Live requests`}
      aria-live="polite"
      className="mt-4"
    >
      {shown.length === 0 ? (
        <p className="text-soft">{t`Waiting for your request. It appears here automatically.`}</p>
      ) : (
        <ul className="divide-y divide-line border-y border-line">
          {shown.map(({ id, method, path, status, at }) => (
            <li key={id} className="flex flex-wrap items-center gap-3 py-2">
              <Badge tone={status < 400 ? 'good' : status < 500 ? 'warn' : 'bad'}>{status}</Badge>
              <code className="min-w-0 flex-1 font-mono text-xs wrap-anywhere">
                {method} {path}
              </code>
              <span className="text-soft">
                <Time at={at} style="relative" />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Collection({ apiUrl }: { readonly apiUrl: string }) {
  const command = useCommand(async () => {
    const response = await fetch('/api/v1/openapi.json');
    const text = JSON.stringify(collectionOf(await response.json(), apiUrl), null, 2);
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
    link.download = 'sellthrough.postman_collection.json';
    link.click();
    URL.revokeObjectURL(link.href);
  });
  return (
    <>
      <Button busy={command.isPending} onClick={() => command.mutate(undefined)}>
        <Trans>Collection for Bruno or Postman</Trans>
      </Button>
      {command.error === null ? null : <ErrorNotice error={command.error} />}
    </>
  );
}
