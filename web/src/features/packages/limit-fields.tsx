// The limits in a package's form, one field per defined limit. If a field is empty, the package does not have that limit.

import { t } from '@lingui/core/macro';
import type { Limit } from '../../api/shapes.ts';
import { limitName, limitUnit, readLimit, type TypedLimits, unlimited } from '../../text/limit-values.ts';
import { Choice } from '../../ui/choice.tsx';
import { TextField } from '../../ui/field.tsx';
import { SwitchField } from '../../ui/switch-field.tsx';

interface LimitFieldsProps {
  readonly limits: readonly Limit[];
  readonly typed: TypedLimits;
  readonly onChange: (typed: TypedLimits) => void;
}

export function LimitFields({ limits, typed, onChange }: LimitFieldsProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
      {limits.map((limit) => (
        <LimitField
          key={limit.key}
          limit={limit}
          typed={typed[limit.key] ?? ''}
          onType={(text) => onChange({ ...typed, [limit.key]: text })}
        />
      ))}
    </div>
  );
}

interface LimitFieldProps {
  readonly limit: Limit;
  readonly typed: string;
  readonly onType: (text: string) => void;
}

function LimitField({ limit, typed, onType }: LimitFieldProps) {
  const unit = limitUnit(limit);
  const label = unit === undefined ? limitName(limit) : `${limitName(limit)} (${unit})`;
  if (limit.kind === 'switch') {
    return (
      <Choice
        label={label}
        labelShown
        value={typed}
        options={[
          { value: '', title: t`Not set` },
          { value: 'no', title: t`No` },
          { value: 'yes', title: t`Yes` },
        ]}
        onChoose={onType}
      />
    );
  }
  if (limit.kind === 'text') return <TextField label={label} maxLength={80} value={typed} onText={onType} />;
  const isUnlimited = typed === unlimited;
  const isWrong = typed.trim() !== '' && readLimit(limit, typed.trim()) === undefined;
  return (
    <div className="flex flex-col gap-2">
      <TextField
        label={label}
        kind="count"
        disabled={isUnlimited}
        problem={isWrong ? t`Enter a whole number, without decimals.` : null}
        value={isUnlimited ? '' : typed}
        onText={onType}
      />
      <SwitchField
        label={t`${limitName(limit)}: unlimited`}
        checked={isUnlimited}
        onChange={(checked) => onType(checked ? unlimited : '')}
      />
    </div>
  );
}
