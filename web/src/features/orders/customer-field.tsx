// Autocomplete for an order's customer. Unknown text means a new customer, and the field says so.

import { Autocomplete } from '@base-ui/react/autocomplete';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useEffect, useRef, useState } from 'react';
import type { PanelCustomer } from '../../api/shapes.ts';
import { Field, inputClasses } from '../../ui/field.tsx';
import { sameReference } from './similar-reference.ts';

interface CustomerFieldProps {
  readonly value: string;
  readonly onText: (text: string) => void;
  readonly found: readonly PanelCustomer[];
  readonly problem: string | null;
}

export function CustomerField({ value, onText, found, problem }: CustomerFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const [wantsOpen, setWantsOpen] = useState(false);
  // Open the list only if there is a choice: while it is open, screen readers cannot see the rest of the dialog.
  const offered = found.filter(({ reference }) => !sameReference(reference, value));
  // Put the cursor behind text that was typed before this field existed (typed-ahead.ts).
  useEffect(() => {
    const field = input.current;
    field?.setSelectionRange(field.value.length, field.value.length);
  }, []);
  return (
    <div ref={place}>
      <Field label={t`Customer`} hint={t`Email address or username, existing or new.`} problem={problem}>
        {(wiring) => (
          <Autocomplete.Root
            items={offered}
            open={wantsOpen && offered.length > 0}
            onOpenChange={setWantsOpen}
            mode="none"
            value={value}
            onValueChange={onText}
            itemToStringValue={({ reference }) => reference}
          >
            <Autocomplete.Input
              {...wiring}
              // Screen readers cannot reach the field's label while the list is open.
              aria-label={t`Customer`}
              ref={input}
              autoFocus
              // Close the list when the focus leaves, so that suggestions that arrive late do not block the next field.
              onBlur={({ relatedTarget }) => {
                if (relatedTarget !== null && !place.current?.contains(relatedTarget)) setWantsOpen(false);
              }}
              maxLength={254}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              className={inputClasses}
            />
            <Autocomplete.Portal container={place}>
              <Autocomplete.Positioner
                positionMethod="fixed"
                sideOffset={4}
                className="z-50 outline-none data-empty:hidden"
              >
                <Autocomplete.Popup className="max-h-64 w-(--anchor-width) overflow-y-auto rounded-control border border-line bg-card p-1 shadow-high data-empty:hidden">
                  <Autocomplete.List aria-label={t`Existing customers`}>
                    {(one: PanelCustomer) => (
                      <Autocomplete.Item
                        key={one.id}
                        value={one}
                        className="flex min-h-9 cursor-pointer flex-wrap items-center justify-between gap-x-3 rounded-md px-2.5 py-1 pointer-coarse:min-h-11 data-highlighted:bg-accent-fill forced-colors:data-highlighted:outline-2 forced-colors:data-highlighted:-outline-offset-2"
                      >
                        <bdi className="min-w-0 wrap-anywhere">{one.reference}</bdi>
                        <span className="text-soft">
                          {one.name === one.reference ? null : (
                            <>
                              <bdi>{one.name}</bdi>
                              {' · '}
                            </>
                          )}
                          <bdi>{one.plan.package}</bdi>
                        </span>
                      </Autocomplete.Item>
                    )}
                  </Autocomplete.List>
                </Autocomplete.Popup>
              </Autocomplete.Positioner>
            </Autocomplete.Portal>
          </Autocomplete.Root>
        )}
      </Field>
    </div>
  );
}

interface NewCustomerNoteProps {
  readonly reference: string;
  readonly similar: readonly PanelCustomer[];
  readonly onChoose: (reference: string) => void;
}

/** Suggests similar existing customers before a new one is created. */
export function NewCustomerNote({ reference, similar, onChoose }: NewCustomerNoteProps) {
  return (
    <div role="status" className="rounded-control border border-edge px-3.5 py-2.5">
      <p className="font-medium wrap-anywhere">
        <Trans>
          New customer: <bdi>{reference}</bdi>
        </Trans>
      </p>
      {similar.length === 0 ? null : <SimilarOnes similar={similar} onChoose={onChoose} />}
    </div>
  );
}

interface SimilarOnesProps {
  readonly similar: readonly PanelCustomer[];
  readonly onChoose: (reference: string) => void;
}

export function SimilarOnes({ similar, onChoose }: SimilarOnesProps) {
  return (
    <div className="mt-1">
      <p className="text-soft">{t`Similar existing customers:`}</p>
      <ul className="mt-1 flex flex-col items-start gap-1">
        {similar.map(({ id, reference, plan }) => (
          <li key={id}>
            <button
              type="button"
              onClick={() => onChoose(reference)}
              className="min-h-8 text-left text-accent underline wrap-anywhere pointer-coarse:min-h-11"
            >
              <bdi>{reference}</bdi> (<bdi>{plan.package}</bdi>)
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
