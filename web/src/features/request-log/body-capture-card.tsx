// Turns body capture on or off, and explains it. Only for the account's own people.

import { t } from '@lingui/core/macro';
import { setBodyCapture } from '../../api/commands.ts';
import { panelMode } from '../../api/panel-mode.ts';
import { useMay } from '../../api/person.ts';
import { useCommand } from '../../api/use-command.ts';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { SwitchField } from '../../ui/switch-field.tsx';

export function BodyCaptureCard({ kept }: { readonly kept: boolean | undefined }) {
  const may = useMay();
  const command = useCommand(setBodyCapture);
  const isOn = command.isPending ? command.variables.bodies_kept : kept === true;
  return (
    <Card>
      <SwitchField
        label={t`Keep what was sent and answered for 7 days`}
        hint={t`Then a refused request can be read down to its body, by you and by the operator of this service. Keys, links, codes and passwords are left out, and long bodies are cut. Switched off, everything kept is deleted at once.`}
        checked={isOn}
        disabled={kept === undefined || command.isPending || !may('keys:write')}
        onChange={(bodies_kept) => command.mutate({ bodies_kept })}
      />
      {panelMode === 'test' ? (
        <p className="mt-2 text-xs text-soft">{t`It is one switch for real requests and for tests.`}</p>
      ) : null}
      {command.error === null ? null : (
        <div className="mt-3">
          <ErrorNotice error={command.error} />
        </div>
      )}
    </Card>
  );
}
