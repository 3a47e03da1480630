// An id, key or reference that a click copies.

import { CopyButton } from './copy-button.tsx';

interface CopiedProps {
  readonly text: string;
  readonly label: string;
  readonly isName?: boolean;
  /** Shown instead of the text, such as an IBAN in groups of four. */
  readonly shown?: string;
}

export function Copied({ text, label, isName = false, shown = text }: CopiedProps) {
  return (
    <span className="inline-flex items-center gap-1">
      {isName ? (
        <bdi className="wrap-anywhere">{shown}</bdi>
      ) : (
        <code className="font-mono text-xs wrap-anywhere">{shown}</code>
      )}
      <CopyButton text={text} label={label} />
    </span>
  );
}
