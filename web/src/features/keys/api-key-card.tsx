// The API address, username and key. Showing or replacing the key requires the password.

import { t } from '@lingui/core/macro';
import { Eye, EyeOff, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { resetOwnApiKey, revealApiKey } from '../../api/commands.ts';
import { useMe } from '../../api/me.ts';
import type { ApiKeyFacts } from '../../api/shapes.ts';
import { useCommand } from '../../api/use-command.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Facts } from '../../ui/facts.tsx';
import { PasswordDialog } from '../../ui/password-dialog.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Time } from '../../ui/time.tsx';
import { say } from '../../ui/toasts.tsx';

interface ApiKeyCardProps {
  readonly facts: ApiKeyFacts | undefined;
  readonly error: Error | null;
  readonly onRetry: () => void;
  readonly shownKey: string | null;
  readonly onKey: (key: string | null) => void;
}

export function ApiKeyCard({ facts, error, onRetry, shownKey, onKey }: ApiKeyCardProps) {
  const { api_url: apiUrl, account } = useMe();
  const [asking, setAsking] = useState<'reveal' | 'reset' | null>(null);
  const close = () => setAsking(null);
  const reveal = useCommand((password: string | undefined) => revealApiKey({ password }), {
    onDone: ({ api_key: key }) => {
      onKey(key);
      close();
    },
  });
  const reset = useCommand((password: string | undefined) => resetOwnApiKey({ password }), {
    onDone: ({ api_key: key }) => {
      onKey(key);
      close();
      say(t`Key replaced. The old one no longer works.`);
    },
  });
  return (
    <Card title={t`Address and key`}>
      {error !== null && facts === undefined ? <ErrorNotice error={error} onRetry={onRetry} /> : null}
      <Facts
        facts={[
          { name: t`Address`, value: <Copied label={t`Copy address`} text={apiUrl} /> },
          { name: t`Username`, value: <Copied label={t`Copy username`} text={account.username} /> },
          {
            name: t`Key`,
            value:
              shownKey === null ? (
                facts === undefined ? (
                  <Skeleton className="h-9 w-48 pointer-coarse:h-11" />
                ) : (
                  <span className="inline-flex flex-wrap items-center justify-end gap-2">
                    <code className="font-mono text-[0.8125rem]">
                      sk_live_<span aria-hidden="true">••••••••</span>
                      <span className="sr-only"> {t`hidden, ends in`} </span>
                      {facts.last_four}
                    </code>
                    <Button icon={Eye} onClick={() => setAsking('reveal')}>
                      {t`Show key`}
                    </Button>
                  </span>
                )
              ) : (
                <span className="inline-flex flex-wrap items-center justify-end gap-2">
                  <code className="font-mono text-[0.8125rem] wrap-anywhere select-all">{shownKey}</code>
                  <CopyButton text={shownKey} label={t`Copy key`} labeled />
                  <Button icon={EyeOff} onClick={() => onKey(null)}>
                    {t`Hide`}
                  </Button>
                </span>
              ),
          },
          { name: t`Created`, value: facts && <Time at={facts.created_at} /> },
          {
            name: t`Last used`,
            value:
              facts &&
              (facts.last_used_at === null ? (
                <span className="text-soft">{t`Never`}</span>
              ) : (
                <Time at={facts.last_used_at} style="relative" />
              )),
          },
        ]}
      />
      <div className="mt-4 flex flex-wrap items-center justify-between gap-3">
        <p className="max-w-xl text-soft">
          {t`Keep this key on your server. Anyone who has it can spend your balance.`}
        </p>
        <Button icon={RotateCcw} look="danger" onClick={() => setAsking('reset')}>
          {t`Replace key`}
        </Button>
      </div>
      {asking === 'reveal' ? (
        <PasswordDialog
          title={t`Show key`}
          description={t`Enter your password. Viewing the key is recorded in the audit log.`}
          action={t`Show key`}
          command={reveal}
          onClose={() => {
            reveal.reset();
            close();
          }}
        />
      ) : null}
      {asking === 'reset' ? (
        <PasswordDialog
          title={t`Replace key?`}
          description={t`Your current key stops working immediately. Programs using it are refused until they have the new one. This can’t be undone.`}
          action={t`Replace key`}
          danger
          command={reset}
          onClose={() => {
            reset.reset();
            close();
          }}
        />
      ) : null}
    </Card>
  );
}

function Copied({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <span className="inline-flex items-center gap-1">
      <code className="font-mono text-[0.8125rem] wrap-anywhere">{text}</code>
      <CopyButton text={text} label={label} />
    </span>
  );
}
