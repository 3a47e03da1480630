// Whether the account's bodies are logged: a button of the page's head that opens the switch and what it means.

import { plural, t } from '@lingui/core/macro';
import { useId } from 'react';
import { setBodyCapture } from '../../api/commands.ts';
import { useMe } from '../../api/me.ts';
import { panelMode } from '../../api/panel-mode.ts';
import { useMay } from '../../api/person.ts';
import { useCommand } from '../../api/use-command.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { placeNearButton } from '../../ui/place-popover.ts';
import { SwitchField } from '../../ui/switch-field.tsx';

export function BodyCaptureSwitch({ kept }: { readonly kept: boolean | undefined }) {
  const id = useId();
  return (
    <>
      <Button popoverTarget={id} disabled={kept === undefined}>
        {kept === true ? t`Bodies: on` : t`Bodies: off`}
      </Button>
      <div
        id={id}
        popover="auto"
        onToggle={placeNearButton}
        className="inset-auto m-0 w-[min(26rem,calc(100vw-2rem))] rounded-card border border-line bg-card p-4 text-ink shadow-high"
      >
        <BodyCapture kept={kept} />
      </div>
    </>
  );
}

export function BodyCapture({ kept }: { readonly kept: boolean | undefined }) {
  const may = useMay();
  const { request_log_days: days } = useMe().kept;
  const command = useCommand(setBodyCapture);
  const isOn = command.isPending ? command.variables.bodies_kept : kept === true;
  return (
    <>
      <SwitchField
        label={plural(days, {
          one: 'Log request and response bodies for # day',
          other: 'Log request and response bodies for # days',
        })}
        hint={t`Lets you and the operator inspect refused requests in full. Keys, links, codes and passwords are redacted, and long bodies are truncated. Turning this off deletes stored bodies immediately.`}
        checked={isOn}
        disabled={kept === undefined || command.isPending || !may('keys:write')}
        onChange={(bodies_kept) => command.mutate({ bodies_kept })}
      />
      {panelMode === 'test' ? (
        <p className="mt-2 text-xs text-soft">{t`This setting applies to real and test requests.`}</p>
      ) : null}
      {command.error === null ? null : (
        <div className="mt-3">
          <ErrorNotice error={command.error} />
        </div>
      )}
    </>
  );
}
