// The dialog (Base UI). It closes on Escape and Back, and returns the focus to what opened it.
// Invariant: Escape, a click outside or Back never discard typed input without asking.

import { Dialog as Base } from '@base-ui/react/dialog';
import { t } from '@lingui/core/macro';
import { X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useBackCloses } from './back-closes.ts';
import { Button, IconButton } from './button.tsx';
import { classNames } from './class-names.ts';
import { useDialogOpener } from './dialog-opener.ts';
import { ErrorNotice } from './error-notice.tsx';
import { useTypedText } from './typed-text.ts';

const widths = { narrow: 'sm:max-w-md', wide: 'sm:max-w-2xl' } as const;

interface DialogProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly width?: keyof typeof widths;
  /** false while the dialog shows something that cannot be shown again. */
  readonly dismissible?: boolean;
  /** True if closing would lose a choice. Typed input is detected without it. */
  readonly isChanged?: boolean;
}

export function Dialog({
  title,
  description,
  onClose,
  children,
  width = 'narrow',
  dismissible = true,
  isChanged = false,
}: DialogProps) {
  const finalFocus = useDialogOpener();
  const [popup, setPopup] = useState<HTMLDivElement | null>(null);
  const isTyped = useTypedText(popup);
  const [isAsking, setIsAsking] = useState(false);
  const closeOrAsk = () => (isChanged || isTyped() ? setIsAsking(true) : onClose());
  useBackCloses(closeOrAsk, dismissible);
  return (
    <Base.Root
      open
      disablePointerDismissal={!dismissible}
      onOpenChange={(open, { reason }) => {
        if (!open && isTopmost(popup) && (dismissible || reason === 'close-press')) closeOrAsk();
      }}
    >
      <Base.Portal>
        <Base.Backdrop forceRender className={backdropClasses} />
        <Base.Viewport className="fixed inset-0 z-40 flex items-end justify-center overflow-y-auto sm:items-start sm:p-6 sm:pt-[6vh]">
          <Base.Popup
            ref={setPopup}
            data-dialog
            initialFocus={() => firstControlOf(popup)}
            finalFocus={finalFocus}
            className={classNames(
              'flex max-h-[94dvh] w-full flex-col rounded-t-2xl border border-line bg-card shadow-high sm:max-h-[89vh] sm:rounded-card short:overflow-y-auto',
              'transition-[opacity,translate] duration-150 data-starting-style:translate-y-2 data-starting-style:opacity-0',
              widths[width],
            )}
          >
            <header className="flex items-start justify-between gap-4 px-5 pt-4 pb-3">
              <div className="min-w-0 pt-1">
                <Base.Title className="text-base font-semibold">{title}</Base.Title>
                {description === undefined ? null : (
                  <Base.Description className="mt-1 text-soft" render={<div />}>
                    {description}
                  </Base.Description>
                )}
              </div>
              <Base.Close render={<IconButton icon={X} label={t`Close`} className="-mr-2 shrink-0" />} />
            </header>
            {children}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
      {isAsking ? (
        <DiscardQuestion
          onStay={() => setIsAsking(false)}
          onDiscard={() => {
            setIsAsking(false);
            onClose();
          }}
        />
      ) : null}
    </Base.Root>
  );
}

/** Escape and outside clicks apply to the topmost dialog only, such as a sign-in above other dialogs. */
function isTopmost(popup: Element | null): boolean {
  return popup !== null && [...document.querySelectorAll('[data-dialog]')].at(-1) === popup;
}

/** The first field, else the first button below the header. Only if there is none, the "Close" button gets the focus. */
function firstControlOf(popup: HTMLElement | null): HTMLElement | true {
  const inBody = (selector: string) =>
    [...(popup?.querySelectorAll<HTMLElement>(selector) ?? [])].find(
      (control) => control.closest('header') === null && !control.matches(':disabled'),
    );
  const field = inBody('input:not([type="hidden"]):not([hidden]), select, textarea');
  const chosen = field?.matches('[type="radio"]')
    ? inBody(`[name="${CSS.escape(field.getAttribute('name') ?? '')}"]:checked`)
    : undefined;
  return chosen ?? field ?? inBody('button, a[href]') ?? popup ?? true;
}

interface DiscardQuestionProps {
  readonly onStay: () => void;
  readonly onDiscard: () => void;
}

function DiscardQuestion({ onStay, onDiscard }: DiscardQuestionProps) {
  return (
    <Dialog title={t`Discard what you entered?`} description={t`Your changes will be lost.`} onClose={onStay}>
      <DialogActions>
        <Button onClick={onStay}>{t`Keep editing`}</Button>
        <Button look="danger" onClick={onDiscard}>
          {t`Discard`}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

export function DialogBody({ children }: { readonly children: ReactNode }) {
  return (
    <div className="scroll-edges flex min-h-0 flex-col gap-4 overflow-y-auto px-5 pt-1 pb-5 short:shrink-0 short:overflow-visible">
      {children}
    </div>
  );
}

interface DialogProblemProps {
  readonly error: Error | null;
  readonly children?: ReactNode;
}

export function DialogProblem({ error, children }: DialogProblemProps) {
  return error === null ? null : (
    <div className="max-h-[40dvh] shrink-0 overflow-y-auto border-t border-line px-5 py-3">
      <ErrorNotice error={error}>{children}</ErrorNotice>
    </div>
  );
}

/** Put the main action last. */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return (
    <footer className="button-row items-center justify-end border-t border-line px-5 py-3.5">
      {children}
    </footer>
  );
}

export const backdropClasses =
  'fixed inset-0 z-40 bg-shade transition-opacity duration-150 data-starting-style:opacity-0';
