// Text that is copied by a click: an id, key or reference.

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
