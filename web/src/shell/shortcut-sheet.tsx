// The sheet opened by `?`: all shortcuts, and a switch that turns single-key shortcuts off.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useMay } from '../api/person.ts';
import type { Scope } from '../api/shapes.ts';
import { Dialog, DialogBody } from '../ui/dialog.tsx';
import { Keys } from '../ui/keys.tsx';
import { SwitchField } from '../ui/switch-field.tsx';
import { usePages } from './page-list.ts';
import { setShortcutsEnabled, useShortcutsEnabled } from './shortcuts.ts';

const everywhere: readonly { readonly title: string; readonly keys: string; readonly scope?: Scope }[] = [
  { title: t`Search and commands`, keys: t`Ctrl K` },
  { title: t`Place an order`, keys: 'n', scope: 'orders:write' },
  { title: t`Search this list`, keys: '/' },
  { title: t`Show shortcuts`, keys: '?' },
];

export default function ShortcutSheet({ onClose }: { readonly onClose: () => void }) {
  const pages = usePages();
  const may = useMay();
  const enabled = useShortcutsEnabled();
  return (
    <Dialog title={t`Keyboard shortcuts`} width="wide" onClose={onClose}>
      <DialogBody>
        <div className="grid gap-x-10 gap-y-5 sm:grid-cols-2">
          <Group
            title={t`Everywhere`}
            entries={everywhere.filter(({ scope }) => scope === undefined || may(scope))}
          />
          <Group title={t`Go to`} entries={pages.panel} />
          {pages.console.length > 0 ? <Group title={t`Administration`} entries={pages.console} /> : null}
        </div>
        <p className="text-soft">
          <Trans>
            Guides and the API reference are in the{' '}
            <a className="text-accent underline underline-offset-2" href="/docs/">
              documentation
            </a>
            .
          </Trans>
        </p>
        <div className="border-t border-line pt-4">
          <SwitchField
            label={t`Single-key shortcuts`}
            hint={t`Ctrl K and ⌘ K always work. Turn the rest off if you use speech input.`}
            checked={enabled}
            onChange={setShortcutsEnabled}
          />
        </div>
      </DialogBody>
    </Dialog>
  );
}

interface GroupProps {
  readonly title: string;
  readonly entries: readonly { readonly title: string; readonly keys: string }[];
}

function Group({ title, entries }: GroupProps) {
  return (
    <section>
      <h3 className="mb-1 text-xs text-soft">{title}</h3>
      <dl>
        {entries.map((entry) => (
          <div key={entry.keys} className="flex items-center justify-between gap-4 py-1">
            <dt>{entry.title}</dt>
            <dd>
              <Keys keys={entry.keys} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
