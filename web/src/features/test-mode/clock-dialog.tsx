// Moves the test clock and reports what happened. One idempotency key per move, also to continue a move that needs several
// requests, so nothing moves twice.

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
  { value: 'P1D', title: t`A day` },
  { value: 'P1W', title: t`A week` },
  { value: 'P1M', title: t`A month` },
  { value: 'P1Y', title: t`A year` },
  { value: 'date', title: t`To a date` },
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
      title={t`Move the clock`}
      description={
        <Trans>
          It is <Time at={now} /> in the test, and stays so until you move it. What would happen by itself on
          the way happens: plans renew and end, events are sent.
        </Trans>
      }
      action={t`Move clock`}
      ready={step !== 'date' || day !== ''}
    >
      <Choice label={t`Forward by`} labelShown value={step} options={steps} onChoose={setStep} />
      {step === 'date' ? (
        <TextField
          label={t`Date`}
          hint={t`To the first second of this day (${zone}), at most ten years ahead.`}
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
  const title = reached
    ? t`The clock has moved`
    : isFull
      ? t`The clock has stopped`
      : t`The clock is on its way`;
  return (
    <Dialog title={title} onClose={onClose}>
      <DialogBody>
        {reached ? null : (
          <Notice tone="warn">
            {isFull
              ? t`The test account is full. Reset the test and move the clock again.`
              : t`There is more to happen than one move has time for. Go on, and it goes on from here.`}
          </Notice>
        )}
        <Facts
          facts={[
            { name: t`It is`, value: <Time at={clock.now} /> },
            { name: t`Plans renewed`, value: formatCount(happened.renewals) },
            { name: t`Renewals refused`, value: formatCount(happened.renewals_failed) },
            { name: t`Plans ended`, value: formatCount(happened.ended) },
            { name: t`Notices that a plan ends`, value: formatCount(happened.warnings) },
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
              {t`Go on`}
            </Button>
          </>
        )}
      </DialogActions>
    </Dialog>
  );
}
