// The download of a list as CSV, with its filters. A link of the browser carries no header, so in test mode the page fetches the file itself.

import { t } from '@lingui/core/macro';
import { type ReactNode, useState } from 'react';
import { apiBase, fetchFile, type Query, queryText } from '../api/client.ts';
import { panelMode } from '../api/panel-mode.ts';
import { AnchorButton, Button, type ButtonLook } from './button.tsx';
import { say } from './toasts.tsx';

interface CsvButtonProps {
  /** Below the panel's own routes: /ledger.csv. */
  readonly path: string;
  readonly query?: Query;
  /** Of the file, without its ending. */
  readonly name: string;
  readonly look?: ButtonLook;
  /** Where the button is only an icon. */
  readonly label?: string;
  readonly children: ReactNode;
}

export function CsvButton({ path, query = {}, name, look = 'plain', label, children }: CsvButtonProps) {
  const [isLoading, setIsLoading] = useState(false);
  const naming = label === undefined ? {} : { 'aria-label': label, title: t`Export as CSV` };
  if (panelMode === 'live') {
    return (
      <AnchorButton look={look} href={`${apiBase}${path}${queryText(query)}`} download {...naming}>
        {children}
      </AnchorButton>
    );
  }
  const load = async () => {
    setIsLoading(true);
    try {
      save(await fetchFile(path, query), `test-${name}.csv`);
    } catch (error) {
      say(t`The file could not be loaded. ${error instanceof Error ? error.message : ''}`);
    }
    setIsLoading(false);
  };
  return (
    <Button look={look} busy={isLoading} onClick={() => void load()} {...naming}>
      {children}
    </Button>
  );
}

function save(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
