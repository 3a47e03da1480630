// The choice of the pages' language. The service stores it for signed-in people. Changing it reloads the page.

import { t } from '@lingui/core/macro';
import { setLanguage } from '../api/frame-commands.ts';
import {
  isLanguage,
  keepLanguage,
  keptLanguage,
  type Language,
  languageNames,
  languages,
} from '../text/language.ts';
import { classNames } from './class-names.ts';

export const choiceClasses =
  'min-h-8 rounded-control border border-line bg-transparent px-1.5 text-xs text-soft pointer-coarse:min-h-11';

interface LanguageChoiceProps {
  readonly isSignedIn?: boolean;
  readonly className?: string;
}

export async function chooseLanguage(chosen: Language | null, isSignedIn: boolean): Promise<void> {
  // If this browser refuses storage, the service's copy still applies.
  if (isSignedIn) await setLanguage({ language: chosen }).catch(() => undefined);
  if (keepLanguage(chosen)) window.location.reload();
}

export function LanguageChoice({ isSignedIn = false, className }: LanguageChoiceProps) {
  const choose = (chosen: Language | null) => chooseLanguage(chosen, isSignedIn);
  const kept = keptLanguage();
  return (
    <select
      aria-label={t`Language`}
      defaultValue={isLanguage(kept) ? kept : ''}
      onChange={({ target: { value } }) => void choose(isLanguage(value) ? value : null)}
      className={classNames(choiceClasses, className)}
    >
      {languages.map((one) => (
        <option key={one} value={one} lang={one}>
          {languageNames[one]}
        </option>
      ))}
      <option value="">{t`Automatic`}</option>
    </select>
  );
}
