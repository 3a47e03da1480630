// The band in test mode: the test clock and actions. On pages without test mode it says that they show live data.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { FlaskConical } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { hasTestMode, switchMode } from '../../api/panel-mode.ts';
import { useMay } from '../../api/person.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Time } from '../../ui/time.tsx';
import { ClockDialog } from './clock-dialog.tsx';
import { TestCreditDialog, TestResetDialog } from './test-dialogs.tsx';

interface TestBandProps {
  readonly path: string;
  readonly now: string;
}

export default function TestBand({ path, now }: TestBandProps) {
  return hasTestMode(path) ? <BandOfTests now={now} /> : <BandOfReality />;
}

function BandOfTests({ now }: { readonly now: string }) {
  const may = useMay();
  const [opened, setOpened] = useState<'clock' | 'credit' | 'reset' | null>(null);
  const close = () => setOpened(null);
  return (
    <Band look="test">
      <p className="min-w-0 flex-1 basis-64">
        <Trans>
          <strong className="font-semibold">Test mode.</strong> Nothing here is real. The test clock shows{' '}
          <Time at={now} />.
        </Trans>
      </p>
      <div className="button-row [&_button:focus-visible]:outline-page">
        {may('orders:write') ? (
          <>
            <Button onClick={() => setOpened('clock')}>{t`Move clock`}</Button>
            <Button onClick={() => setOpened('credit')}>{t`Add credit`}</Button>
            <Button onClick={() => setOpened('reset')}>{t`Reset test`}</Button>
          </>
        ) : null}
        <Button aria-label={t`Leave test mode`} onClick={leave}>
          {t`Leave`}
        </Button>
      </div>
      {opened === 'clock' ? <ClockDialog now={now} onClose={close} /> : null}
      {opened === 'credit' ? <TestCreditDialog onClose={close} /> : null}
      {opened === 'reset' ? <TestResetDialog onClose={close} /> : null}
    </Band>
  );
}

function BandOfReality() {
  return (
    <Band look="real">
      <p className="min-w-0 flex-1 basis-64">
        <Trans>
          <strong className="font-semibold">This page has no test mode.</strong> You are viewing and changing
          real data.
        </Trans>
      </p>
      <Button onClick={leave}>{t`Leave test mode`}</Button>
    </Band>
  );
}

function leave(): void {
  switchMode('live');
}

function Band({ look, children }: { readonly look: 'test' | 'real'; readonly children: ReactNode }) {
  return (
    <section
      aria-label={t`Test mode`}
      data-band
      className={classNames(
        'z-10 flex items-start gap-3 border-b-2 border-warn px-4 py-2.5 sm:px-8 lg:sticky lg:top-0',
        look === 'test' ? 'bg-warn text-page' : 'bg-warn-fill text-ink',
      )}
    >
      <FlaskConical aria-hidden="true" className="mt-2 size-5 shrink-0" />
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-6 gap-y-2">{children}</div>
    </section>
  );
}
