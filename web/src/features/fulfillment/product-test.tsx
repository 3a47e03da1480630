// A test call to the product, with its response.

import { t } from '@lingui/core/macro';
import { Send } from 'lucide-react';
import { sendProductTestCall } from '../../api/commands.ts';
import type { ProductTest } from '../../api/shapes.ts';
import { useCommand } from '../../api/use-command.ts';
import { formatMilliseconds } from '../../text/language.ts';
import { Badge } from '../../ui/badge.tsx';
import { BodyBox } from '../../ui/body-box.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';

export function TestCallCard() {
  const test = useCommand(sendProductTestCall);
  return (
    <Card
      title={t`Test call`}
      description={t`Calls the saved URL for a customer who doesn’t exist. Nothing is stored, and no order changes.`}
      action={
        <Button icon={Send} busy={test.isPending} onClick={() => test.mutate(undefined)}>
          {t`Send a test call`}
        </Button>
      }
    >
      {test.error === null ? null : <ErrorNotice error={test.error} />}
      {test.data === undefined ? (
        test.error === null && <p className="text-soft">{t`Not sent since you opened this page.`}</p>
      ) : (
        <TestResult result={test.data} />
      )}
    </Card>
  );
}

export function TestResult({ result }: { readonly result: ProductTest }) {
  const { status, problem, answer, milliseconds, sent } = result;
  const isTaken = status !== null && status >= 200 && status < 300;
  return (
    <section aria-label={t`Test call`} role="status" className="flex flex-col gap-2">
      <p>
        <Badge tone={isTaken ? 'good' : 'bad'}>{status ?? problem ?? ''}</Badge>{' '}
        {isTaken
          ? t`Your product accepted the call after ${formatMilliseconds(milliseconds)}.`
          : t`Your product did not accept the call.`}
      </p>
      <BodyBox label={t`Response`} body={answer} note={t`Response`} none={t`The response was empty.`} />
      <BodyBox label={t`What was sent`} body={sent} note={t`What was sent`} none="" />
    </section>
  );
}
