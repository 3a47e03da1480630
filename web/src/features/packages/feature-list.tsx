import { t } from '@lingui/core/macro';
import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react';
import { useRef } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { inputClasses } from '../../ui/field.tsx';

interface FeatureListProps {
  readonly features: readonly string[];
  readonly onChange: (features: readonly string[]) => void;
}

const featuresMax = 100;

export function FeatureList({ features, onChange }: FeatureListProps) {
  const list = useRef<HTMLOListElement>(null);
  const move = (from: number, to: number) => {
    const moved = features[from];
    if (moved === undefined || to < 0 || to >= features.length) return;
    onChange(features.toSpliced(from, 1).toSpliced(to, 0, moved));
  };
  const add = () => {
    onChange([...features, '']);
    // Wait for the next frame, in which the new line is rendered.
    requestAnimationFrame(() =>
      list.current?.querySelector<HTMLInputElement>('li:last-child input')?.focus(),
    );
  };
  return (
    <>
      <ol ref={list} className="flex flex-col gap-2">
        {features.map((feature, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be the same, and a line is its place
          <li key={index} className="flex items-center gap-1">
            <span className="figures w-7 shrink-0 text-soft">{index + 1}.</span>
            <input
              aria-label={t`Feature ${index + 1}`}
              value={feature}
              maxLength={200}
              autoComplete="off"
              onChange={(event) => onChange(features.with(index, event.target.value))}
              className={inputClasses}
            />
            <IconButton
              icon={ArrowUp}
              label={t`Move feature ${index + 1} up`}
              disabled={index === 0}
              onClick={() => move(index, index - 1)}
            />
            <IconButton
              icon={ArrowDown}
              label={t`Move feature ${index + 1} down`}
              disabled={index === features.length - 1}
              onClick={() => move(index, index + 1)}
            />
            <IconButton
              icon={X}
              label={t`Remove feature ${index + 1}`}
              onClick={() => onChange(features.toSpliced(index, 1))}
            />
          </li>
        ))}
      </ol>
      <Button icon={Plus} className="mt-3" disabled={features.length >= featuresMax} onClick={add}>
        {t`Add feature`}
      </Button>
    </>
  );
}
