// An id, key or reference that a click copies.

import { CopyButton } from './copy-button.tsx';

interface CopiedProps {
  readonly text: string;
  readonly label: string;
  readonly isName?: boolean;
}

export function Copied({ text, label, isName = false }: CopiedProps) {
  return (
    <span className="inline-flex items-center gap-1">
      {isName ? (
        <bdi className="wrap-anywhere">{text}</bdi>
      ) : (
        <code className="font-mono text-xs wrap-anywhere">{text}</code>
      )}
      <CopyButton text={text} label={label} />
    </span>
  );
}
