// The band while an administrator views a reseller's panel: names the account, says "read-only", and leads back.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Eye } from 'lucide-react';
import { useMe } from '../api/me.ts';
import { leaveView } from '../api/panel-view.ts';
import { Button } from '../ui/button.tsx';

export function ViewBand() {
  const { username } = useMe().account;
  return (
    <section
      aria-label={t`Viewing another account`}
      data-print="no"
      data-band
      className="sticky top-0 z-20 flex flex-wrap items-center gap-3 border-b-4 border-warn bg-warn px-4 py-2 text-page sm:px-8 max-lg:top-12"
    >
      <Eye aria-hidden="true" className="size-5 shrink-0" />
      <p className="min-w-0 flex-1 basis-56">
        <Trans>
          Viewing as{' '}
          <strong className="font-semibold">
            <bdi>{username}</bdi>
          </strong>{' '}
          (read-only)
        </Trans>
      </p>
      <span className="[&_button:focus-visible]:outline-page">
        <Button onClick={() => void leaveView()}>{t`Leave`}</Button>
      </span>
    </section>
  );
}

export function ViewEnded() {
  return (
    <main className="mx-auto max-w-md p-6 pt-[20vh]">
      <h1 className="mb-3 text-xl">{t`You’ve stopped viewing this account`}</h1>
      <p className="mb-4 text-soft">{t`A view ends after an hour. Open it again from the account’s page.`}</p>
      <Button look="primary" onClick={() => void leaveView()}>
        {t`Go to account`}
      </Button>
    </main>
  );
}
