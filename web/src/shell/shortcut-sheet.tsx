// The sheet on `?`: every key there is, and the switch that turns single keys off.

import { useMay } from '../api/person.ts';
import type { Scope } from '../api/shapes.ts';
import { Dialog, DialogBody } from '../ui/dialog.tsx';
import { Keys } from '../ui/keys.tsx';
import { SwitchField } from '../ui/switch-field.tsx';
import { usePages } from './page-list.ts';
import { setShortcutsEnabled, useShortcutsEnabled } from './shortcuts.ts';

const everywhere: readonly { readonly title: string; readonly keys: string; readonly scope?: Scope }[] = [
  { title: 'Search and commands', keys: 'Ctrl K' },
  { title: 'Place an order', keys: 'n', scope: 'orders:write' },
  { title: 'Search in this list', keys: '/' },
  { title: 'This sheet', keys: '?' },
];

export default function ShortcutSheet({ onClose }: { readonly onClose: () => void }) {
  const pages = usePages();
  const may = useMay();
  const enabled = useShortcutsEnabled();
  return (
    <Dialog title="Keyboard shortcuts" width="wide" onClose={onClose}>
      <DialogBody>
        <div className="grid gap-x-10 gap-y-5 sm:grid-cols-2">
          <Group
            title="Everywhere"
            entries={everywhere.filter(({ scope }) => scope === undefined || may(scope))}
          />
          <Group title="Go to" entries={pages.panel} />
          {pages.console.length > 0 ? <Group title="Administration" entries={pages.console} /> : null}
        </div>
        <p className="text-soft">
          Guides and the API reference are in the{' '}
          <a className="text-accent underline underline-offset-2" href="/docs/">
            documentation
          </a>
          .
        </p>
        <div className="border-t border-line pt-4">
          <SwitchField
            label="Single-key shortcuts"
            hint="Ctrl K and ⌘ K always work. Turn the rest off if you use speech input."
            checked={enabled}
            onChange={setShortcutsEnabled}
          />
        </div>
      </DialogBody>
    </Dialog>
  );
}

function Group({
  title,
  entries,
}: {
  readonly title: string;
  readonly entries: readonly { readonly title: string; readonly keys: string }[];
}) {
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
