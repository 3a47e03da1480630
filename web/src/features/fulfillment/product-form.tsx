// Edits the product's addresses, secrets and mode. Secrets are generated or typed, and are not shown after saving.

import { t } from '@lingui/core/macro';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { type ProductChange, setProduct } from '../../api/commands.ts';
import type { Product } from '../../api/shapes.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Choice } from '../../ui/choice.tsx';
import { useConfirmedCommand } from '../../ui/confirmed-command.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { say } from '../../ui/toasts.tsx';
import { useUnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { useText } from '../../ui/use-text.ts';
import { mintProductSecret } from './product-secret.ts';
import { productModeWord } from './product-words.ts';

const modes = [
  { value: 'none', note: t`No calls are made.` },
  { value: 'notify', note: t`The product is notified afterwards. Its response doesn’t affect the order.` },
  {
    value: 'confirm',
    note: t`Orders stay pending until the product accepts them. Refused orders are refunded.`,
  },
] as const;

const sendProduct = (change: ProductChange, password: string | undefined) =>
  setProduct({ ...change, current_password: password });

interface ProductFormProps {
  readonly product: Product;
  readonly canChange: boolean;
}

export function ProductForm({ product, canChange }: ProductFormProps) {
  const [mode, setMode] = useState(product.mode);
  const [url, urlField] = useText(product.url ?? '');
  const [secret, secretField, setSecret] = useText();
  const [testUrl, testUrlField] = useText(product.test_url ?? '');
  const [testSecret, testSecretField, setTestSecret] = useText();
  const command = useConfirmedCommand(sendProduct, {
    action: t`Save`,
    onDone: ({ product: saved }) => {
      setSecret('');
      setTestSecret('');
      say(
        saved.mode === 'none' ? t`Saved. New orders complete immediately.` : t`Saved. Applies to new orders.`,
      );
    },
  });
  const hasCalls = mode !== 'none';
  const isDirty =
    canChange &&
    (mode !== product.mode ||
      (hasCalls &&
        (url !== (product.url ?? '') ||
          testUrl !== (product.test_url ?? '') ||
          secret !== '' ||
          testSecret !== '')));
  const guard = useUnsavedGuard(isDirty && !command.isPending);
  const needsSecret = !product.has_secret;
  const needsTestSecret = testUrl.trim() !== '' && product.test_url === undefined;
  const isReady =
    isDirty &&
    url.trim() !== '' &&
    (!needsSecret || secret.trim() !== '') &&
    (!needsTestSecret || testSecret.trim() !== '');
  const change: ProductChange = {
    mode,
    url: url.trim(),
    test_url: testUrl.trim() === '' ? null : testUrl.trim(),
    ...(secret.trim() !== '' && { secret: secret.trim() }),
    ...(testUrl.trim() !== '' && testSecret.trim() !== '' && { test_secret: testSecret.trim() }),
  };
  return (
    <Card title={t`Hand-off`}>
      {guard}
      {command.dialog}
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (canChange && isReady && !command.isPending) command.mutate(change);
        }}
      >
        <fieldset disabled={!canChange} className="flex max-w-2xl min-w-0 flex-col gap-4">
          {canChange ? null : <Notice tone="info">{t`Your role can view this but not change it.`}</Notice>}
          <Choice
            label={t`Order completion`}
            labelShown
            look="cards"
            value={mode}
            options={modes.map(({ value, note }) => ({
              value,
              title: (
                <>
                  <span className="block font-medium">{productModeWord(value)}</span>
                  <span className="block text-soft">{note}</span>
                </>
              ),
            }))}
            onChoose={setMode}
          />
          {mode === 'none' && product.mode === 'confirm' ? (
            <Notice tone="warn">
              {t`Orders waiting for the product need your attention immediately: it’s no longer called.`}
            </Notice>
          ) : null}
          {hasCalls ? (
            <>
              <TextField
                label={t`Product URL`}
                hint={t`Use https, or http for addresses in your own network allowed by OUTBOUND_ALLOW.`}
                type="url"
                kind="address"
                maxLength={2_048}
                {...urlField}
              />
              <SecretField
                label={t`Secret`}
                hint={
                  needsSecret
                    ? t`Used to sign calls. Copy it to your product now; it won’t be shown again.`
                    : t`A secret is set. Leave blank to keep it; a new one applies from the next call.`
                }
                canMake={canChange}
                {...secretField}
              />
              <TextField
                label={t`Test URL`}
                hint={t`Where test orders are sent. Leave blank to complete them immediately.`}
                type="url"
                kind="address"
                maxLength={2_048}
                {...testUrlField}
              />
              {testUrl.trim() === '' ? null : (
                <SecretField
                  label={t`Test secret`}
                  hint={
                    needsTestSecret
                      ? t`Used to sign test calls. Must differ from the live secret.`
                      : t`A secret is set. Leave blank to keep it.`
                  }
                  canMake={canChange}
                  {...testSecretField}
                />
              )}
            </>
          ) : null}
          {command.error === null ? null : <ErrorNotice error={command.error} />}
          {canChange ? (
            <div>
              <Button type="submit" look="primary" busy={command.isPending} disabled={!isReady}>
                {t`Save`}
              </Button>
            </div>
          ) : null}
        </fieldset>
      </form>
    </Card>
  );
}

interface SecretFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly canMake: boolean;
  readonly onText: (text: string) => void;
}

function SecretField({ label, hint, value, canMake, onText }: SecretFieldProps) {
  const isWrong = value.trim() !== '' && !/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(value.trim());
  return (
    <div className="flex flex-col gap-2">
      <TextField
        label={label}
        hint={hint}
        problem={isWrong ? t`Enter whsec_ followed by 24 to 64 bytes in base64.` : null}
        kind="name"
        maxLength={96}
        mono
        value={value}
        onText={onText}
      />
      {canMake ? (
        <div className="flex flex-wrap gap-2">
          <Button icon={KeyRound} onClick={() => onText(mintProductSecret())}>
            {t`Generate`}
          </Button>
          {value === '' ? null : <CopyButton text={value.trim()} label={t`Copy ${label}`} labeled />}
        </div>
      ) : null}
    </div>
  );
}
