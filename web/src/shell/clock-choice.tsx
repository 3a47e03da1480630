// Lets the person choose local time or UTC. The service stores the choice, like the language.

import { t } from '@lingui/core/macro';
import { setClock } from '../api/frame-commands.ts';
import { browserZone, keepClock, keptClock } from '../text/clock.ts';
import { classNames } from '../ui/class-names.ts';
import { choiceClasses } from '../ui/language-choice.tsx';

export function ClockChoice({ className }: { readonly className?: string }) {
  const choose = async (chosen: 'utc' | null) => {
    const isKept = await setClock({ clock: chosen }).then(
      () => true,
      () => false,
    );
    // If the service did not store the choice, the next page would undo it (panel-layout.tsx).
    if (isKept && keepClock(chosen)) window.location.reload();
  };
  return (
    <select
      aria-label={t`Time zone`}
      defaultValue={keptClock() ?? ''}
      onChange={({ target: { value } }) => void choose(value === 'utc' ? 'utc' : null)}
      className={classNames(choiceClasses, className)}
    >
      <option value="">{browserZone}</option>
      <option value="utc">UTC</option>
    </select>
  );
}
