// Edits the allow-list. Saving a list without the user's own address needs a confirmation.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { saveAllowList } from '../../api/commands.ts';
import { useMe } from '../../api/me.ts';
import { useCommand } from '../../api/use-command.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { say } from '../../ui/toasts.tsx';
import { useUnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { useText } from '../../ui/use-text.ts';

const entriesMax = 100;

export function AllowListCard() {
  const { account, address, address_allowed: isAllowed } = useMe();
  const saved = account.allowed_ips;
  const [edited, setEdited] = useState<readonly string[] | null>(null);
  const [typed, typedField, setTyped] = useText();
  const entries = edited ?? saved;
  const command = useCommand(saveAllowList, {
    onDone: ({ allowed_ips: list }) => {
      setEdited(null);
      say(list.length === 0 ? t`The key works from any address.` : t`Allow-list saved.`);
    },
  });
  const isLockOut = command.error instanceof ApiError && command.error.code === 'address_locked_out';
  const isChanged = edited !== null && edited.join() !== saved.join();
  const guard = useUnsavedGuard(isChanged || typed.trim() !== '');

  const add = (text: string) => {
    const added = text.split(/[\s,]+/).filter((part) => part !== '' && !entries.includes(part));
    setEdited([...entries, ...added].slice(0, entriesMax));
    setTyped('');
    command.reset();
  };
  const take = (entry: string) => {
    setEdited(entries.filter((other) => other !== entry));
    command.reset();
  };
  return (
    <Card
      title={t`IP allow-list`}
      description={
        saved.length === 0
          ? t`Leave blank to allow any address.`
          : t`The key only works from these addresses.`
      }
      action={
        saved.length === 0 ? <Badge tone="warn">{t`Open`}</Badge> : <Badge tone="good">{t`Restricted`}</Badge>
      }
    >
      {guard}
      <ul className="mb-3">
        {entries.map((entry, index) => (
          <li key={entry} className="flex items-center justify-between gap-2 border-b border-line py-1">
            <code className="font-mono text-[0.8125rem] wrap-anywhere">{entry}</code>
            <span className="flex items-center gap-2">
              {problemAt(command.error, index) ? <Badge tone="bad">{t`Invalid`}</Badge> : null}
              <IconButton icon={X} label={t`Remove ${entry}`} onClick={() => take(entry)} />
            </span>
          </li>
        ))}
      </ul>
      <form
        noValidate
        className="flex items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim() !== '') add(typed);
        }}
      >
        <TextField
          label={t`Address or range`}
          className="flex-1"
          placeholder="203.0.113.0/24"
          {...typedField}
          kind="address"
          mono
        />
        <Button type="submit" disabled={typed.trim() === ''}>
          {t`Add`}
        </Button>
      </form>
      <p className="mt-3 flex flex-wrap items-center gap-x-2 gap-y-1 text-soft">
        <span>
          {isAllowed ? (
            <Trans>
              Your address is <code className="font-mono text-ink wrap-anywhere">{address}</code>.
            </Trans>
          ) : (
            <Trans>
              The saved list doesn’t include your address,{' '}
              <code className="font-mono text-ink wrap-anywhere">{address}</code>.
            </Trans>
          )}
        </span>
        {entries.includes(address) ? null : (
          <Button icon={Plus} look="quiet" onClick={() => add(address)}>
            {t`Add my address`}
          </Button>
        )}
      </p>
      {command.error !== null && !isLockOut ? (
        <div className="mt-3">
          <ErrorNotice error={command.error} />
        </div>
      ) : null}
      {isChanged ? (
        <div className="mt-3 flex flex-wrap justify-end gap-2">
          <Button
            onClick={() => {
              setEdited(null);
              command.reset();
            }}
          >
            {t`Undo`}
          </Button>
          <Button
            look="primary"
            busy={command.isPending && !isLockOut}
            onClick={() => command.mutate({ allowed_ips: entries })}
          >
            {t`Save list`}
          </Button>
        </div>
      ) : null}
      {isLockOut ? (
        <FormDialog
          title={t`This list doesn’t include your address`}
          description={
            <Trans>
              Requests with your key from <code className="font-mono text-ink">{address}</code> will be
              refused. That’s fine if only your servers place orders. The panel works from anywhere.
            </Trans>
          }
          action={t`Save anyway`}
          danger
          form={{
            isPending: command.isPending,
            error: null,
            onSend: () => command.mutate({ allowed_ips: entries, confirm: true }),
            onClose: () => command.reset(),
          }}
        />
      ) : null}
    </Card>
  );
}

/** The service names the refused entry in `field`, such as "allowed_ips.2". */
function problemAt(error: Error | null, index: number): boolean {
  return error instanceof ApiError && error.detail('field') === `allowed_ips.${index}`;
}
