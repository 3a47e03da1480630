// The operator's first page: each step to the first order of a reseller. The service says which are done (setup-state.ts).

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleDashed, CircleSlash } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { skipSetupStep } from '../../api/commands.ts';
import { setupQuery } from '../../api/console-start.ts';
import { useMay } from '../../api/person.ts';
import type { Setup, SetupStep } from '../../api/shapes.ts';
import { useCommand } from '../../api/use-command.ts';
import { BodyBox } from '../../ui/body-box.tsx';
import { Button } from '../../ui/button.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ProductStep } from '../fulfillment/product-step.tsx';
import { LimitsCard } from '../packages/limits-card.tsx';
import { PackagesFileDialog } from '../packages/packages-file-dialog.tsx';
import { CreateAccountDialog } from './create-account-dialog.tsx';

interface StepText {
  readonly title: string;
  readonly text: string;
  readonly body: ReactNode;
}

export function SetupPage() {
  const { data, error, refetch } = useQuery(setupQuery);
  const [chosen, setChosen] = useState<SetupStep | null>(null);
  const texts = useSteps(data, () => setChosen('product'));
  const first = data?.steps.find(({ state }) => state === 'open')?.name ?? null;
  const shown = chosen ?? first;
  const left = data?.steps.filter(({ state }) => state === 'open').length ?? 0;
  return (
    <>
      <PageHeader
        title={t`Open your channel`}
        description={t`From an empty service to the first order of a reseller. Each step checks itself off.`}
        actions={
          data === undefined ? null : (
            <ButtonLink to="/admin" look={left === 0 ? 'primary' : 'plain'}>{t`Go to Business`}</ButtonLink>
          )
        }
      />
      {error === null ? null : <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        <Skeleton className="h-96 w-full" />
      ) : (
        <div className="page-stack gap-5">
          {left === 0 ? <Notice tone="good">{t`Your channel is open.`}</Notice> : null}
          <Findings findings={data.findings} />
          <ol className="min-w-0 rounded-card border border-line bg-card shadow-lift">
            {data.steps.map((step, index) => (
              <Step
                key={step.name}
                step={step}
                number={index + 1}
                text={texts[step.name]}
                isShown={shown === step.name}
                onOpen={() => setChosen(step.name)}
                onSkipped={() => setChosen(null)}
              />
            ))}
          </ol>
        </div>
      )}
    </>
  );
}

function Findings({ findings }: Pick<Setup, 'findings'>) {
  if (findings.length === 0) return null;
  return (
    <Card title={t`To check`} description={t`What “sellthrough doctor” reports about this service.`}>
      <ul className="flex flex-col gap-2">
        {findings.map(({ name, state, says }) => (
          <li key={name} className="wrap-anywhere">
            <span className={state === 'fail' ? 'font-medium text-bad' : 'font-medium text-warn'}>
              {name}
            </span>
            : {says}
          </li>
        ))}
      </ul>
    </Card>
  );
}

interface StepProps {
  readonly step: Setup['steps'][number];
  readonly number: number;
  readonly text: StepText;
  readonly isShown: boolean;
  readonly onOpen: () => void;
  readonly onSkipped: () => void;
}

const icons = { done: CircleCheck, open: CircleDashed, skipped: CircleSlash } as const;

function Step({ step: { name, state }, number, text, isShown, onOpen, onSkipped }: StepProps) {
  const mayChange = useMay()('admin:packages');
  const command = useCommand(skipSetupStep, { onDone: onSkipped });
  // Without this step, the health page does not warn of missing backups.
  const isBackup = name === 'backup';
  const skipLabel = isBackup ? undefined : t`Skip: ${text.title}`;
  const Icon = icons[state];
  const stateWords = {
    done: t`Done`,
    open: t`To do`,
    skipped: t`Skipped`,
  } as const;
  return (
    <li className="border-b border-line last:border-b-0" aria-current={isShown ? 'step' : undefined}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3 md:px-5">
        <Icon
          aria-hidden="true"
          className={`size-5 shrink-0 ${state === 'done' ? 'text-good' : 'text-soft'}`}
        />
        <button
          type="button"
          aria-expanded={isShown}
          onClick={onOpen}
          className="min-h-9 min-w-0 flex-1 basis-48 text-left"
        >
          <span className="font-medium">
            {number}. {text.title}
          </span>
          <span className="block text-soft">{text.text}</span>
        </button>
        <div className="flex items-center gap-x-3 max-sm:w-full max-sm:flex-row-reverse max-sm:justify-end max-sm:pl-8">
          {mayChange && state !== 'done' ? (
            <Button
              look="quiet"
              busy={command.isPending}
              aria-label={state === 'skipped' ? t`Don’t skip: ${text.title}` : skipLabel}
              onClick={() => command.mutate({ step: name, skipped: state !== 'skipped' })}
            >
              {state === 'skipped' ? t`Don’t skip` : isBackup ? t`We back up elsewhere` : t`Skip`}
            </Button>
          ) : null}
          <span className="text-soft sm:min-w-18 sm:text-right">{stateWords[state]}</span>
        </div>
      </div>
      {isShown ? <div className="px-4 pb-5 md:px-5 md:pl-13">{text.body}</div> : null}
      {command.error === null ? null : <ErrorNotice error={command.error} />}
    </li>
  );
}

function useSteps(setup: Setup | undefined, onConnect: () => void): Readonly<Record<SetupStep, StepText>> {
  return {
    brand: {
      title: t`Name and logo`,
      text: t`Shown on pages, in emails and on statements.`,
      body: <ButtonLink look="primary" to="/admin/brand">{t`Set name and logo`}</ButtonLink>,
    },
    limits: {
      title: t`Limits`,
      text: t`What a plan grants in your product, such as seats or storage.`,
      body: <LimitsCard />,
    },
    packages: {
      title: t`Packages`,
      text: t`What resellers order. Each has a value for every limit.`,
      body: <PackagesStep />,
    },
    prices: {
      title: t`Prices`,
      text: t`What a reseller or distributor pays you for a month, a quarter or a year.`,
      body: <ButtonLink look="primary" to="/admin/packages">{t`Go to packages`}</ButtonLink>,
    },
    product: {
      title: t`Connect your product`,
      text: t`Each order is handed to your product, which accepts or refuses it.`,
      // It stays open once it is done, for the test call.
      body: <ProductStep onConnect={onConnect} />,
    },
    payments: {
      title: t`How resellers pay`,
      text: t`By card or bank transfer. Skip this if you credit their balance yourself.`,
      body: (
        <ButtonLink look="primary" to="/admin/payments" search={{ tab: 'settings' }}>
          {t`Set up payments`}
        </ButtonLink>
      ),
    },
    reseller: {
      title: t`Invite your first reseller`,
      text: t`They choose a password and get a key. Credit their balance, so that they can order.`,
      body: <ResellerStep />,
    },
    address: {
      title: t`Public address`,
      text: t`Where your resellers and their customers reach this service.`,
      body: (
        <SettingsLines
          lines={['PUBLIC_URL=https://sellthrough.example.com', 'TRUST_PROXY=127.0.0.1']}
          note={t`Links lead to ${setup?.public_url ?? ''} now. Put a proxy with a certificate in front, add these lines to .env, then restart.`}
        />
      ),
    },
    mail: {
      title: t`Email`,
      text: t`Invitations, password resets, low-balance alerts.`,
      body: (
        <SettingsLines
          lines={[
            'SMTP_URL=smtps://user:password@mail.example.com',
            'MAIL_FROM="Your name <billing@example.com>"',
          ]}
          note={t`Add these lines to .env, then restart.`}
        />
      ),
    },
    backup: {
      title: t`Backup`,
      text: t`One file a night, made while the service runs.`,
      body: (
        <SettingsLines
          lines={['npx sellthrough backup backup.tar']}
          note={t`Run it once, then every night. If other tools back up the server, choose “We back up elsewhere”.`}
        />
      ),
    },
  };
}

function PackagesStep() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="flex flex-wrap gap-2">
      <ButtonLink look="primary" to="/admin/packages/$packageId" params={{ packageId: 'new' }}>
        {t`Create package`}
      </ButtonLink>
      <Button onClick={() => setIsOpen(true)}>{t`Import CSV`}</Button>
      {isOpen ? <PackagesFileDialog onClose={() => setIsOpen(false)} /> : null}
    </div>
  );
}

function ResellerStep() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="flex flex-wrap gap-2">
      <Button look="primary" onClick={() => setIsOpen(true)}>{t`Invite a reseller`}</Button>
      <ButtonLink to="/admin/accounts">{t`Go to accounts`}</ButtonLink>
      {isOpen ? <CreateAccountDialog invitesFirst onClose={() => setIsOpen(false)} /> : null}
    </div>
  );
}

function SettingsLines({ lines, note }: { readonly lines: readonly string[]; readonly note: string }) {
  return (
    <div className="flex max-w-2xl flex-col gap-3">
      <p>{note}</p>
      <BodyBox label={t`Settings`} body={lines.join('\n')} note={<Trans>Example</Trans>} none="" />
    </div>
  );
}
