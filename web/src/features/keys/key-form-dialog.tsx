import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { changedFields } from '../../api/changed-fields.ts';
import { type AccessOwner, changeKey, createKey, type KeySettings } from '../../api/commands.ts';
import { panelMode } from '../../api/panel-mode.ts';
import type { ApiKey } from '../../api/shapes.ts';
import { zone } from '../../text/clock.ts';
import { dayOf, spanEnd } from '../../text/days.ts';
import { formatTypedDay } from '../../text/times.ts';
import { CheckList } from '../../ui/check-list.tsx';
import { Choice } from '../../ui/choice.tsx';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useText } from '../../ui/use-text.ts';
import { NewSecretDialog } from './key-dialogs.tsx';
import { administratorScopeWords, scopeWords } from './scope-words.ts';

interface KeyFormDialogProps {
  readonly owner: AccessOwner;
  readonly apiKey: ApiKey | null;
  readonly ofAdministrator: boolean;
  readonly onClose: () => void;
}

function offeredScopes(ofAdministrator: boolean, mode: 'live' | 'test') {
  if (!ofAdministrator) return scopeWords;
  if (mode === 'live') return { ...scopeWords, ...administratorScopeWords };
  return { ...scopeWords, product: administratorScopeWords['product'] ?? '' };
}

export function KeyFormDialog({ owner, apiKey, ofAdministrator, onClose }: KeyFormDialogProps) {
  const [name, nameField] = useText(apiKey?.name ?? '');
  const [mode, setMode] = useState(apiKey?.mode ?? panelMode);
  const [reach, setReach] = useState<'all' | 'some'>(apiKey === null || apiKey.all_scopes ? 'all' : 'some');
  const [scopes, setScopes] = useState<readonly string[]>(apiKey?.all_scopes === false ? apiKey.scopes : []);
  const [addresses, addressesField] = useText(apiKey?.allowed_ips.join(', ') ?? '');
  const [limit, limitField] = useText(apiKey?.rate_limit_per_minute?.toString() ?? '');
  const [savedDay] = useState(apiKey?.expires_at == null ? '' : dayOf(new Date(apiKey.expires_at)));
  const [lastDay, lastDayField] = useText(savedDay);
  const isFirst = apiKey?.first === true;

  const settings: KeySettings = {
    name: name.trim(),
    ...(apiKey === null && mode === 'test' && { test: true }),
    allowed_ips: addresses.split(/[\s,]+/).filter((part) => part !== ''),
    rate_limit_per_minute: limit.trim() === '' ? null : Number(limit),
    // Keep an exact expiry that was set elsewhere unless the user changes the day.
    ...(lastDay === savedDay ? {} : { expires_at: spanEnd(lastDay) ?? null }),
    ...(isFirst || (reach === 'all' && apiKey === null) ? {} : { scopes: reach === 'all' ? null : scopes }),
  };
  const [before] = useState(settings);
  const changes = changedFields(before, settings);
  const create = useDialogForm({
    onClose,
    password: 'asked',
    send: ({ key, password }) => createKey(owner, settings, password, key),
  });
  const change = useDialogForm({
    onClose,
    isDoneOnceRead: true,
    password: 'asked',
    send: ({ password }) => changeKey(owner, apiKey?.id ?? 0, changes, password),
    says: () => t`Key updated. Applies from the next request.`,
  });
  if (create.answer !== undefined) {
    return (
      <NewSecretDialog title={t`Key created`} apiKey={create.answer.api_key} onClose={onClose}>
        {t`Copy it to your program now. It won’t be shown again.`}
      </NewSecretDialog>
    );
  }
  const isLimit = limit.trim() === '' || /^[1-9]\d{0,6}$/.test(limit.trim());
  const words = offeredScopes(ofAdministrator, mode);
  return (
    <FormDialog
      form={apiKey === null ? create : change}
      title={apiKey === null ? t`New key` : t`Change ${apiKey.name}`}
      width="wide"
      action={apiKey === null ? t`Create key` : t`Save key`}
      ready={
        name.trim() !== '' &&
        isLimit &&
        (reach === 'all' || scopes.length > 0) &&
        (apiKey === null || Object.keys(changes).length > 0)
      }
      isChanged={Object.keys(changes).length > 0}
    >
      <TextField
        label={t`Name`}
        hint={t`The program that uses it, such as “Shop” or “Billing”.`}
        autoComplete="off"
        autoFocus
        maxLength={80}
        {...nameField}
      />
      {apiKey === null ? (
        <Choice
          label={t`For`}
          labelShown
          value={mode}
          options={[
            { value: 'live', title: t`Real orders` },
            { value: 'test', title: t`Test mode` },
          ]}
          onChoose={(chosen) => {
            setMode(chosen);
            setScopes([]);
          }}
        />
      ) : null}
      {isFirst ? (
        <p className="text-soft">{t`The first key of an account has full access and never expires.`}</p>
      ) : (
        <>
          <Choice
            label={t`Scopes`}
            labelShown
            value={reach}
            options={[
              { value: 'all', title: t`Full access` },
              { value: 'some', title: t`Selected scopes only` },
            ]}
            onChoose={setReach}
          />
          {reach === 'some' ? (
            <CheckList label={t`Scopes`} words={words} chosen={scopes} onChoose={setScopes} />
          ) : null}
        </>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t`Addresses`}
          hint={t`From the account’s allow-list. Leave blank to allow the whole list.`}
          placeholder="203.0.113.7, 203.0.113.0/24"
          kind="address"
          mono
          className="sm:col-span-2"
          {...addressesField}
        />
        <TextField
          label={t`Requests per minute`}
          hint={t`Up to the account’s limit. Leave blank to use the account’s limit.`}
          kind="count"
          maxLength={7}
          problem={isLimit ? null : t`Enter a whole number.`}
          {...limitField}
        />
        {isFirst ? null : (
          <TextField
            label={t`Last day`}
            hint={
              lastDay === ''
                ? t`Leave blank for no expiry.`
                : t`Until the end of ${formatTypedDay(lastDay)} (${zone}).`
            }
            type="date"
            {...lastDayField}
          />
        )}
      </div>
    </FormDialog>
  );
}
