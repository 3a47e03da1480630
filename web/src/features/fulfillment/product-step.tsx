// Connects the product on the operator's first page: address and secret, a handler with the secret filled in, a test call.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type ProductChange, sendProductTestCall, setProduct } from '../../api/commands.ts';
import { productQuery } from '../../api/console-queries.ts';
import type { Product } from '../../api/shapes.ts';
import { useCommand } from '../../api/use-command.ts';
import { BodyBox } from '../../ui/body-box.tsx';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { useConfirmedCommand } from '../../ui/confirmed-command.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { TextField } from '../../ui/field.tsx';
import { say } from '../../ui/toasts.tsx';
import { useText } from '../../ui/use-text.ts';
import { handlerLanguages, productHandler } from './product-handler.ts';
import { mintProductSecret } from './product-secret.ts';
import { TestResult } from './product-test.tsx';

export function ProductStep({ onConnect }: { readonly onConnect: () => void }) {
  const { data, error, refetch } = useQuery(productQuery);
  if (data !== undefined) return <Connect product={data.product} onConnect={onConnect} />;
  return error === null ? null : <ErrorNotice error={error} onRetry={() => void refetch()} />;
}

interface ConnectProps {
  readonly product: Product;
  readonly onConnect: () => void;
}

function Connect({ product, onConnect }: ConnectProps) {
  const [url, urlField] = useText(product.url ?? '');
  // Made here, so that the sample runs as it is. It replaces an earlier secret only when saved.
  const [secret] = useState(mintProductSecret);
  const [isShown, setIsShown] = useState(!product.has_secret);
  const [language, setLanguage] = useState<(typeof handlerLanguages)[number]['value']>('typescript');
  const save = useConfirmedCommand(
    (change: ProductChange, password) => setProduct({ ...change, current_password: password }),
    { action: t`Save`, onDone: () => say(t`Saved. Applies to new orders.`) },
  );
  const test = useCommand(sendProductTestCall);
  const wanted = url.trim();
  const isSaved = product.url === wanted && product.mode !== 'none';
  return (
    <div className="flex max-w-2xl flex-col gap-4">
      {save.dialog}
      <p>
        <Trans>
          1. Run this in your product. It checks the signature and accepts every order: put your own code
          where the comment is.
        </Trans>
      </p>
      <Choice label={t`Language`} value={language} options={handlerLanguages} onChoose={setLanguage} />
      <BodyBox
        label={t`Handler`}
        body={productHandler(language, isShown ? secret : 'whsec_…')}
        note={isShown ? t`With your secret. Don’t share it.` : t`The secret is set and is not shown again.`}
        none=""
      />
      {isShown ? null : (
        <div>
          <Button onClick={() => setIsShown(true)}>{t`Use a new secret`}</Button>
        </div>
      )}
      <form
        noValidate
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (wanted === '' || save.isPending) return;
          onConnect();
          save.mutate({
            mode: 'confirm',
            url: wanted,
            test_url: product.test_url ?? null,
            ...(isShown && { secret }),
          });
        }}
      >
        <TextField
          label={t`2. Where it listens`}
          hint={t`Use https, or http for addresses in your own network allowed by OUTBOUND_ALLOW.`}
          type="url"
          kind="address"
          maxLength={2_048}
          {...urlField}
        />
        {save.error === null ? null : <ErrorNotice error={save.error} />}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look="primary" busy={save.isPending} disabled={wanted === ''}>
            {t`Connect`}
          </Button>
          <Button busy={test.isPending} disabled={!isSaved} onClick={() => test.mutate(undefined)}>
            {t`Send a test call`}
          </Button>
        </div>
      </form>
      {test.error === null ? null : <ErrorNotice error={test.error} />}
      {test.data === undefined ? null : <TestResult result={test.data} />}
    </div>
  );
}
