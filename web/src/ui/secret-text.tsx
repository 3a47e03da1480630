// Shows a secret; one click selects all of it.

import { t } from '@lingui/core/macro';
import { CopyButton } from './copy-button.tsx';

interface SecretTextProps {
  readonly label: string;
  readonly text: string;
  /** The dialog's title says what it is, and its foot has the button. */
  readonly bare?: boolean;
}

export function SecretText({ label, text, bare = false }: SecretTextProps) {
  return (
    <div>
      {bare ? null : <p className="mb-1 font-medium">{label}</p>}
      <div className="flex items-center gap-2 rounded-control border border-line bg-fill py-1 pr-1 pl-3">
        <code className="min-w-0 flex-1 py-1 font-mono text-[0.8125rem] wrap-anywhere select-all">
          {text}
        </code>
        {bare ? null : <CopyButton text={text} label={t`Copy ${label.toLowerCase()}`} />}
      </div>
    </div>
  );
}
