// A link to a file. Links cannot send headers, so in test mode and account views the page fetches the file itself.

import { t } from '@lingui/core/macro';
import type { LucideIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { ApiError, apiBase, fetchFile, type Query, queryText } from '../api/client.ts';
import { panelMode } from '../api/panel-mode.ts';
import { viewedAccount } from '../api/panel-view.ts';
import { AnchorButton, Button, type ButtonLook } from './button.tsx';
import { say } from './toasts.tsx';

export interface DownloadButtonProps {
  /** Relative to the panel's routes, such as /ledger.csv. */
  readonly path: string;
  readonly query?: Query;
  readonly file: string;
  readonly look?: ButtonLook;
  readonly label?: string;
  readonly icon: LucideIcon;
  readonly children?: ReactNode;
}

const isByLink = panelMode === 'live' && viewedAccount === null;

export function DownloadButton({
  path,
  query = {},
  file,
  look = 'plain',
  label,
  icon,
  children,
}: DownloadButtonProps) {
  const [isLoading, setIsLoading] = useState(false);
  const naming =
    label === undefined
      ? {}
      : {
          'aria-label': label,
          title: label,
          ...(children === undefined && { className: 'aspect-square !px-0 pointer-coarse:min-w-11' }),
        };
  if (isByLink) {
    return (
      <AnchorButton
        look={look}
        icon={icon}
        href={`${apiBase}${path}${queryText(query)}`}
        download
        {...naming}
      >
        {children}
      </AnchorButton>
    );
  }
  const load = async () => {
    setIsLoading(true);
    await fetchAndSave(path, query, file);
    setIsLoading(false);
  };
  return (
    <Button look={look} icon={icon} busy={isLoading} onClick={() => void load()} {...naming}>
      {children}
    </Button>
  );
}

/** Downloads without a button. */
export function download(path: string, query: Query, file: string): void {
  if (isByLink) clickLink(`${apiBase}${path}${queryText(query)}`, '');
  else void fetchAndSave(path, query, file);
}

async function fetchAndSave(path: string, query: Query, file: string): Promise<void> {
  try {
    save(await fetchFile(path, query), panelMode === 'live' ? file : `test-${file}`);
  } catch (error) {
    say(
      error instanceof ApiError && error.code === 'network'
        ? t`The file could not be loaded. Check your connection.`
        : t`The file could not be loaded. Try again in a moment.`,
    );
  }
}

function save(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  clickLink(address, name);
  URL.revokeObjectURL(address);
}

function clickLink(address: string, name: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}
