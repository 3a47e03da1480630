import { plural, t } from '@lingui/core/macro';
import { setBodyCapture } from '../../api/commands.ts';
import { useMe } from '../../api/me.ts';
import { panelMode } from '../../api/panel-mode.ts';
import { useMay } from '../../api/person.ts';
import { useCommand } from '../../api/use-command.ts';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { SwitchField } from '../../ui/switch-field.tsx';

export function BodyCaptureCard({ kept }: { readonly kept: boolean | undefined }) {
  const may = useMay();
  const { request_log_days: days } = useMe().kept;
  const command = useCommand(setBodyCapture);
  const isOn = command.isPending ? command.variables.bodies_kept : kept === true;
  return (
    <Card>
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
    </Card>
  );
}
