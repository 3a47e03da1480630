import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';

interface BodyBoxProps {
  readonly label: string;
  readonly body: string | null;
  readonly note: ReactNode;
  readonly none: string;
}

export function BodyBox({ label, body, note, none }: BodyBoxProps) {
  if (body === null) return <p className="text-soft">{none}</p>;
  const text = pretty(body);
  return (
    <div className="rounded-control border border-line bg-fill">
      <div className="flex items-center justify-between border-b border-line py-1 pr-1.5 pl-3.5">
        <span className="text-xs text-soft">{note}</span>
        <CopyButton text={text} label={t`Copy: ${label}`} />
      </div>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is where the arrow keys scroll
        tabIndex={0}
        aria-label={label}
        className="scroll-sides max-h-96 overflow-auto -outline-offset-2 p-3.5 font-mono text-xs leading-relaxed whitespace-pre"
      >
        <code>{text}</code>
      </section>
    </div>
  );
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
