// The button with the person's name, and its menu: language, theme, time zone, shortcuts and sign-out.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ChevronsUpDown } from 'lucide-react';
import { Suspense, type ToggleEvent, useId, useRef, useState } from 'react';
import { useMe } from '../api/me.ts';
import { viewedAccount } from '../api/panel-view.ts';
import { usePerson } from '../api/person.ts';
import { roleWord } from '../text/words.ts';
import { lazyEarly } from '../ui/preload.ts';
import { popoverClasses } from '../ui/table-layout.tsx';

const UserSettings = lazyEarly(() => import('./user-settings.tsx'));

export function UserMenu({ onShortcuts }: { readonly onShortcuts: () => void }) {
  const { account } = useMe();
  const { person } = usePerson();
  const [hasOpened, setHasOpened] = useState(false);
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLFieldSetElement>(null);
  const onOpen = ({ newState, currentTarget }: ToggleEvent<HTMLElement>) => {
    if (newState !== 'open' || button.current === null) return;
    setHasOpened(true);
    placeAbove(button.current, currentTarget);
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        popoverTarget={id}
        className="flex min-h-11 w-full items-center gap-2.5 rounded-control px-2 py-1 text-left hover:bg-fill"
      >
        <span
          aria-hidden="true"
          className="grid size-7 shrink-0 place-items-center rounded-full bg-accent-fill text-xs font-semibold text-accent uppercase forced-colors:border"
        >
          {[...person.username][0]}
        </span>
        <span className="min-w-0 flex-1 leading-snug">
          <span className="block truncate" title={person.username}>
            <bdi>{person.username}</bdi>
          </span>
          <span className="block truncate text-xs text-soft">
            {viewedAccount !== null ? (
              <Trans>
                Viewing <bdi title={account.username}>{account.username}</bdi>
              </Trans>
            ) : person.username === account.username ? (
              roleWord(person.role)
            ) : (
              <Trans>
                {roleWord(person.role)} of <bdi title={account.username}>{account.username}</bdi>
              </Trans>
            )}
          </span>
        </span>
        <span className="sr-only">{t`Settings and sign-out`}</span>
        <ChevronsUpDown aria-hidden="true" className="size-4 shrink-0 text-soft" />
      </button>
      <fieldset
        ref={menu}
        id={id}
        popover="auto"
        onBeforeToggle={onOpen}
        className={`${popoverClasses} w-72 max-w-[90vw]`}
      >
        <legend className="sr-only">{t`Settings and sign-out`}</legend>
        {hasOpened ? (
          <Suspense>
            <UserSettings
              onShortcuts={() => {
                menu.current?.hidePopover();
                onShortcuts();
              }}
            />
          </Suspense>
        ) : null}
      </fieldset>
    </>
  );
}

const gapPixels = 6;

function placeAbove(button: HTMLElement, menu: HTMLElement): void {
  const { top, left } = button.getBoundingClientRect();
  const bottom = document.documentElement.clientHeight - top + gapPixels;
  // On low screens the button may be near the top.
  menu.style.bottom = `min(${bottom}px, 100dvh - 18rem)`;
  menu.style.left = `${left}px`;
}
