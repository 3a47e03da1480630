import type { ReactNode } from 'react';

interface CheckListProps {
  readonly label: string;
  readonly labelShown?: boolean;
  readonly words: Readonly<Record<string, ReactNode>>;
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: readonly string[]) => void;
}

export function CheckList({ label, labelShown = false, words, chosen, onChoose }: CheckListProps) {
  const values = Object.keys(words);
  return (
    <fieldset className="min-w-0">
      <legend className={labelShown ? 'mb-1 font-medium' : 'sr-only'}>{label}</legend>
      <div className={labelShown ? 'flex flex-wrap gap-x-6' : 'grid gap-x-4 sm:grid-cols-2'}>
        {values.map((value) => (
          <label key={value} className="flex min-h-9 items-center gap-2.5 pointer-coarse:min-h-11">
            <input
              type="checkbox"
              className="size-4 shrink-0 accent-accent"
              checked={chosen.includes(value)}
              onChange={({ target }) =>
                onChoose(values.filter((each) => (each === value ? target.checked : chosen.includes(each))))
              }
            />
            <span className="min-w-0 wrap-anywhere">{words[value]}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
