// A first request in four languages, with the account's address and, while the key is shown, the key.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useMe } from '../../api/me.ts';
import { panelMode } from '../../api/panel-mode.ts';
import { packagesQuery } from '../../api/queries.ts';
import { Card } from '../../ui/card.tsx';
import { Choice } from '../../ui/choice.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { useList } from '../../ui/use-list.ts';
import { firstRequest, languages } from './first-request.ts';

export function FirstRequestCard({ shownKey }: { readonly shownKey: string | null }) {
  const { api_url: apiUrl } = useMe();
  // In test mode the samples omit the key shown above, because it is a live key.
  const isTest = panelMode === 'test';
  const { data: packages } = useQuery(packagesQuery);
  const { search, change } = useList(['language']);
  const language = languages.find(({ value }) => value === search.language)?.value ?? 'curl';
  const code = firstRequest(language, {
    address: apiUrl,
    key: isTest ? 'sk_test_YOUR_KEY' : (shownKey ?? 'sk_live_YOUR_KEY'),
    packageId: packages?.data[0]?.id ?? 1,
  });
  return (
    <Card
      title={t`Your first request`}
      description={
        isTest
          ? t`Places an order in test mode. Create a test key above and use it in place of YOUR_KEY.`
          : shownKey === null
            ? t`Places an order. Replace YOUR_KEY with your key, or show the key above to have it filled in.`
            : t`Places an order with your key. Run it as it is, and don’t share it.`
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
      <div className="rounded-control border border-line bg-fill">
        <div className="flex items-center justify-between border-b border-line py-1 pr-1.5 pl-4">
          <code className="font-mono text-xs text-soft">POST /orders</code>
          <CopyButton text={code} label={t`Copy code`} />
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is where the arrow keys scroll */}
        <pre tabIndex={0} className="overflow-x-auto p-4 font-mono text-[0.8125rem] leading-relaxed">
          <code>{code}</code>
        </pre>
      </div>
      <p className="mt-3 text-soft">
        {isTest ? null : <>{t`With a test key this is free. Create one above with “New key”.`} </>}
        <Trans>
          The same <code className="font-mono text-ink">Idempotency-Key</code> never charges twice, so you can
          safely retry a request. See the{' '}
          <a className="text-accent underline underline-offset-2" href="/docs/reference/reseller-api">
            API reference
          </a>{' '}
          or{' '}
          <a className="text-accent underline underline-offset-2" href={`${apiUrl}/openapi.json`}>
            openapi.json
          </a>
          .
        </Trans>
      </p>
    </Card>
  );
}
