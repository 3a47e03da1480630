// An id, key or reference that a click copies.

import { classNames } from './class-names.ts';
import { CopyButton } from './copy-button.tsx';

interface CopiedProps {
  readonly text: string;
  readonly label: string;
  readonly isName?: boolean;
  /** Shown instead of the text, such as an IBAN in groups of four. */
  readonly shown?: string;
  /** Cut to one line in a table; the button copies all of it. */
  readonly isCut?: boolean;
}

export function Copied({ text, label, isName = false, shown = text, isCut = false }: CopiedProps) {
  return (
    <span className="inline-flex items-center gap-1">
      {isName ? (
        <bdi className="wrap-anywhere">{shown}</bdi>
      ) : (
        <code
          className={classNames('font-mono text-xs', isCut ? 'max-w-32 truncate' : 'wrap-anywhere')}
          title={isCut ? text : undefined}
        >
          {shown}
        </code>
      )}
      <CopyButton text={text} label={label} />
    </span>
  );
}
