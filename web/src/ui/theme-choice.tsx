import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { classNames } from './class-names.ts';
import { choiceClasses } from './language-choice.tsx';
import { chooseTheme, isTheme, keptTheme } from './theme.ts';

export function ThemeChoice({ className }: { readonly className?: string }) {
  const [theme, setTheme] = useState(keptTheme);
  return (
    <select
      aria-label={t`Theme`}
      title={t`Theme`}
      value={theme ?? ''}
      onChange={({ target: { value } }) => {
        const chosen = isTheme(value) ? value : null;
        chooseTheme(chosen);
        setTheme(chosen);
      }}
      className={classNames(choiceClasses, className)}
    >
      <option value="">{t`System`}</option>
      <option value="light">{t`Light`}</option>
      <option value="dark">{t`Dark`}</option>
    </select>
  );
}
