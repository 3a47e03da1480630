import { t } from '@lingui/core/macro';
import { Bookmark } from 'lucide-react';
import { lazy, Suspense, useId, useState } from 'react';
import { withTexts } from '../text/texts.ts';
import { IconButton } from './button.tsx';
import type { ListView, Shown } from './list-views.ts';
import { placeBelowButton, popoverClasses } from './table-layout.tsx';

const SavedViews = lazy(withTexts(() => import('./saved-views.tsx')));

interface ViewsButtonProps {
  readonly list: string;
  readonly builtIn: readonly ListView[];
  readonly shown: Shown;
  readonly onShow: (shown: Partial<Shown>) => void;
}

export function ViewsButton({ onShow, ...props }: ViewsButtonProps) {
  const menu = useId();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <IconButton icon={Bookmark} label={t`Views`} look="plain" popoverTarget={menu} />
      <fieldset
        id={menu}
        popover="auto"
        onToggle={(event) => {
          placeBelowButton(event);
          setIsOpen(event.newState === 'open');
        }}
        className={popoverClasses}
      >
        <legend className="sr-only">{t`Views`}</legend>
        {isOpen ? (
          <Suspense>
            <SavedViews
              {...props}
              onShow={(shown) => {
                document.getElementById(menu)?.hidePopover();
                onShow(shown);
              }}
            />
          </Suspense>
        ) : null}
      </fieldset>
    </>
  );
}
