import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { Keyboard, LogOut, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { leave } from '../features/auth/leave.ts';
import { Keys } from '../ui/keys.tsx';
import { LanguageChoice } from '../ui/language-choice.tsx';
import { ThemeChoice } from '../ui/theme-choice.tsx';
import { ClockChoice } from './clock-choice.tsx';

export default function UserSettings({ onShortcuts }: { readonly onShortcuts: () => void }) {
  const client = useQueryClient();
  return (
    <>
      <Setting name={t`Language`}>
        <LanguageChoice isSignedIn className="w-40" />
      </Setting>
      <Setting name={t`Theme`}>
        <ThemeChoice className="w-40" />
      </Setting>
      <Setting name={t`Time zone`}>
        <ClockChoice className="w-40" />
      </Setting>
      <div className="mt-1.5 border-t border-line pt-1.5">
        <MenuButton icon={Keyboard} keys="?" onClick={onShortcuts}>
          {t`Keyboard shortcuts`}
        </MenuButton>
        <MenuButton icon={LogOut} onClick={() => leave(client)}>
          {t`Sign out`}
        </MenuButton>
      </div>
    </>
  );
}

function Setting({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex min-h-10 items-center justify-between gap-3 px-2 pointer-coarse:min-h-12">
      <span aria-hidden="true">{name}</span>
      {children}
    </div>
  );
}

interface MenuButtonProps {
  readonly icon: LucideIcon;
  readonly keys?: string;
  readonly onClick: () => void;
  readonly children: string;
}

function MenuButton({ icon: Icon, keys, onClick, children }: MenuButtonProps) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="flex min-h-9 w-full items-center gap-2.5 rounded-control px-2 text-left hover:bg-fill pointer-coarse:min-h-11"
    >
      <Icon aria-hidden="true" className="size-4 shrink-0 text-soft" />
      <span className="flex-1">{children}</span>
      {keys === undefined ? null : (
        <span aria-hidden="true" className="pointer-coarse:hidden">
          <Keys keys={keys} />
        </span>
      )}
    </button>
  );
}
