// The download of the ledger as CSV. A link of the browser carries no header, so in test mode the page fetches the file itself.

import { type ReactNode, useState } from 'react';
import { apiBase, fetchFile, queryText } from '../api/client.ts';
import { panelMode } from '../api/panel-mode.ts';
import { AnchorButton, Button, type ButtonLook } from '../ui/button.tsx';
import { say } from '../ui/toasts.tsx';

interface ExportButtonProps {
  /** undefined: all time. */
  readonly month: string | undefined;
  readonly look?: ButtonLook;
  /** Where the button is only an icon. */
  readonly label?: string;
  readonly children: ReactNode;
}

const path = '/ledger.csv';

export function ExportButton({ month, look = 'plain', label, children }: ExportButtonProps) {
  const [isLoading, setIsLoading] = useState(false);
  const naming = label === undefined ? {} : { 'aria-label': label, title: 'Export as CSV' };
  if (panelMode === 'live') {
    return (
      <AnchorButton look={look} href={`${apiBase}${path}${queryText({ month })}`} download {...naming}>
        {children}
      </AnchorButton>
    );
  }
  const load = async () => {
    setIsLoading(true);
    try {
      save(await fetchFile(path, { month }), `test-ledger-${month ?? 'all'}.csv`);
    } catch (error) {
      say(`The file could not be loaded. ${error instanceof Error ? error.message : ''}`);
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
