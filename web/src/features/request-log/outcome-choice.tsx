import { t } from '@lingui/core/macro';
import type { RequestFigures } from '../../api/shapes.ts';
import { formatCount } from '../../text/language.ts';
import { Choice } from '../../ui/choice.tsx';

const outcomes = [
  { value: '', title: t`All` },
  { value: '2xx', title: t`Succeeded` },
  { value: '4xx', title: t`Refused` },
  { value: '5xx', title: t`Failed` },
] as const;

/** "" is every outcome. */
export type OutcomeFilter = (typeof outcomes)[number]['value'];

export const outcomeOf = (status: string | undefined): OutcomeFilter =>
  outcomes.find(({ value }) => value === status)?.value ?? '';

export function outcomeCount(
  { succeeded, refused, failed }: Pick<RequestFigures, 'succeeded' | 'refused' | 'failed'>,
  outcome: '2xx' | '4xx' | '5xx',
): number {
  return { '2xx': succeeded, '4xx': refused, '5xx': failed }[outcome];
}

interface OutcomeChoiceProps {
  readonly outcome: OutcomeFilter;
  readonly onChoose: (outcome: OutcomeFilter) => void;
  readonly figures?: RequestFigures | undefined;
}

export function OutcomeChoice({ outcome, onChoose, figures }: OutcomeChoiceProps) {
  const noteOf = (value: OutcomeFilter) => {
    if (figures === undefined) return undefined;
    return (
      <span className="figures text-xs font-normal">
        {formatCount(value === '' ? figures.requests : outcomeCount(figures, value))}
      </span>
    );
  };
  return (
    <Choice
      label={t`Status`}
      value={outcome}
      options={outcomes.map((one) => ({ ...one, note: noteOf(one.value) }))}
      onChoose={onChoose}
    />
  );
}
