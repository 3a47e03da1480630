import { t } from '@lingui/core/macro';
import { panelMode, switchMode } from '../../api/panel-mode.ts';
import { SwitchField } from '../../ui/switch-field.tsx';

export function TestSwitch() {
  return (
    <div className="px-2 py-1">
      <SwitchField
        label={t`Test mode`}
        checked={panelMode === 'test'}
        onChange={(isOn) => switchMode(isOn ? 'test' : 'live')}
      />
    </div>
  );
}
