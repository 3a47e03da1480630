// Copies text. On plain HTTP other than localhost the Clipboard API is missing, so there is a fallback.

import { t } from '@lingui/core/macro';
import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button, type ButtonLook, IconButton } from './button.tsx';
import { classNames } from './class-names.ts';

const shownMilliseconds = 1_600;

interface CopyButtonProps {
  readonly text: string;
  readonly label: string;
  readonly labeled?: boolean;
  readonly look?: ButtonLook;
}

export function CopyButton({ text, label, labeled = false, look = 'plain' }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), shownMilliseconds);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () => void copyText(text).then(setCopied);
  const icon = copied ? (
    <Check aria-hidden="true" className={classNames('size-4', look !== 'primary' && 'text-good')} />
  ) : (
    <Copy aria-hidden="true" className="size-4" />
  );
  return (
    <span className="inline-flex">
      {labeled ? (
        <Button look={look} onClick={copy}>
          {icon}
          {label}
        </Button>
      ) : (
        <IconButton label={label} onClick={copy} className="!min-h-7 pointer-coarse:!min-h-11">
          {icon}
        </IconButton>
      )}
      <span role="status" className="sr-only">
        {copied ? t`Copied` : ''}
      </span>
    </span>
  );
}

async function copyText(text: string): Promise<boolean> {
  if (window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return false;
    }
  }
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.className = 'sr-only';
  // Put the field inside the open dialog, which would otherwise take the focus back.
  (document.querySelector('[data-dialog]') ?? document.body).append(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  return done;
}
