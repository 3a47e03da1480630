// Moves the test clock and reports what happened. A move may need several requests; all of them use one idempotency key.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { type ClockMove, moveTestClock } from '../../api/commands.ts';
import { mintIdempotencyKey } from '../../api/random-text.ts';
import type { TestClockMoved } from '../../api/shapes.ts';
import { useCommand } from '../../api/use-command.ts';
import { zone } from '../../text/clock.ts';
import { dayOf, spanStart } from '../../text/days.ts';
import { formatCount } from '../../text/language.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Dialog, DialogActions, DialogBody, DialogProblem } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { useText } from '../../ui/use-text.ts';

const steps = [
  { value: 'P1D', title: t`1 day` },
  { value: 'P1W', title: t`1 week` },
  { value: 'P1M', title: t`1 month` },
  { value: 'P1Y', title: t`1 year` },
  { value: 'date', title: t`Specific date` },
] as const;

interface ClockDialogProps {
  readonly now: string;
  readonly onClose: () => void;
}

export function ClockDialog({ now, onClose }: ClockDialogProps) {
  const [step, setStep] = useState<(typeof steps)[number]['value']>('P1M');
  const [day, dayField] = useText();
  const [key, setKey] = useState(mintIdempotencyKey);
  const [moved, setMoved] = useState<TestClockMoved | null>(null);
  const command = useCommand((move: ClockMove) => moveTestClock(move, key), { onDone: setMoved });
  const move: ClockMove = step === 'date' ? { now: spanStart(day) ?? '' } : { advance: step };
  if (moved !== null) {
    return (
      <Moved
        moved={moved}
        busy={command.isPending}
        error={command.error}
        onMore={() => {
          setKey(mintIdempotencyKey());
          setMoved(null);
        }}
        onClose={onClose}
        onGoOn={() => command.mutate(move)}
      />
    );
  }
  return (
    <FormDialog
      form={{ ...command, onSend: () => command.mutate(move), onClose }}
      title={t`Move clock`}
      description={
        <Trans>
          The test clock shows <Time at={now} /> until you move it. Everything due on the way happens: plans
          renew and end, and events are sent.
        </Trans>
      }
      action={t`Move clock`}
      ready={step !== 'date' || day !== ''}
    >
      <Choice label={t`Forward by`} labelShown value={step} options={steps} onChoose={setStep} />
      {step === 'date' ? (
        <TextField
          label={t`Date`}
          hint={t`Moves to the start of this day (${zone}), up to ten years ahead.`}
          type="date"
          min={dayOf(new Date(now))}
          {...dayField}
        />
      ) : null}
    </FormDialog>
  );
}

function Moved({
  moved: { clock, reached, stopped_by: stoppedBy, happened },
  busy,
  error,
  onMore,
  onGoOn,
  onClose,
}: {
  readonly moved: TestClockMoved;
  readonly busy: boolean;
  readonly error: Error | null;
  readonly onMore: () => void;
  readonly onGoOn: () => void;
  readonly onClose: () => void;
}) {
  const isFull = stoppedBy === 'test_full';
  const title = reached ? t`Clock moved` : isFull ? t`Clock stopped` : t`Moving the clock`;
  return (
    <Dialog title={title} onClose={onClose}>
      <DialogBody>
        {reached ? null : (
          <Notice tone="warn">
            {isFull
              ? t`The test account is full. Reset the test and move the clock again.`
              : t`Too much happened to process at once. Continue to keep going.`}
          </Notice>
        )}
        <Facts
          facts={[
            { name: t`Test clock`, value: <Time at={clock.now} /> },
            { name: t`Plans renewed`, value: formatCount(happened.renewals) },
            { name: t`Renewals refused`, value: formatCount(happened.renewals_failed) },
            { name: t`Plans ended`, value: formatCount(happened.ended) },
            { name: t`Plan ending notices`, value: formatCount(happened.warnings) },
          ]}
        />
      </DialogBody>
      <DialogProblem error={error} />
      <DialogActions>
        {isFull ? (
          <Button look="primary" onClick={onClose}>
            {t`Done`}
          </Button>
        ) : reached ? (
          <>
            <Button onClick={onMore}>{t`Move again`}</Button>
            <Button look="primary" onClick={onClose}>
              {t`Done`}
            </Button>
          </>
        ) : (
          <>
            <Button onClick={onClose}>{t`Stay here`}</Button>
            <Button look="primary" busy={busy} onClick={onGoOn}>
              {t`Continue`}
            </Button>
          </>
        )}
      </DialogActions>
    </Dialog>
  );
}
