// The menu of a list's views: built-in ones and those that the person saved in this browser.

import { t } from '@lingui/core/macro';
import { Check, Pencil, Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { usePerson } from '../api/person.ts';
import { daySpan, daySpanOf, isDaySpan } from '../text/day-spans.ts';
import { Button, IconButton } from './button.tsx';
import { TextField } from './field.tsx';
import { keepViews, type ListView, readViews, type SavedView, type Shown, viewsMax } from './list-views.ts';

interface SavedViewsProps {
  /** The list's name in storage. */
  readonly list: string;
  readonly builtIn: readonly ListView[];
  readonly shown: Shown;
  readonly onShow: (shown: Partial<Shown>) => void;
}

export default function SavedViews({ list, builtIn, shown, onShow }: SavedViewsProps) {
  const { id } = usePerson().person;
  const [views, setViews] = useState(() => readViews(list, id));
  const [renamed, setRenamed] = useState<string | null>(null);
  const [isKept, setIsKept] = useState(true);
  const change = (changed: readonly SavedView[]) => {
    setViews(changed);
    setIsKept(keepViews(list, id, changed));
    setRenamed(null);
  };
  const save = (name: string) => {
    const others = views.filter((view) => view.name !== name);
    change([...others, { name, search: withoutDays(shown.search), columns: shown.columns }]);
  };
  const rename = (before: string, name: string) =>
    change(
      views
        .filter((view) => view.name === before || view.name !== name)
        .map((view) => (view.name === before ? { ...view, name } : view)),
    );
  return (
    <div className="flex w-72 max-w-[90vw] flex-col gap-2">
      {builtIn.length === 0 && views.length === 0 ? (
        <p className="px-2 text-soft">{t`Save the current filters, columns and order under a name.`}</p>
      ) : (
        <ul>
          {builtIn.map((view) => (
            <li key={view.title} className="flex">
              <ViewButton title={view.title} onClick={() => onShow({ search: view.search })} />
            </li>
          ))}
          {views.map((view) => (
            <li key={view.name} className="flex items-center gap-1">
              {renamed === view.name ? (
                <NameForm
                  label={t`New name`}
                  action={t`Rename`}
                  first={view.name}
                  onName={(name) => rename(view.name, name)}
                />
              ) : (
                <>
                  <ViewButton
                    title={view.name}
                    onClick={() => onShow({ search: withDays(view.search), columns: view.columns })}
                  />
                  <IconButton
                    icon={Pencil}
                    label={t`Rename ${view.name}`}
                    onClick={() => setRenamed(view.name)}
                  />
                  <IconButton
                    icon={Trash2}
                    label={t`Delete ${view.name}`}
                    onClick={() => change(views.filter(({ name }) => name !== view.name))}
                  />
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {views.length >= viewsMax ? null : (
        <div className="border-t border-line pt-2">
          <NameForm key={views.length} label={t`Save this view as`} action={t`Save`} onName={save} />
        </div>
      )}
      {isKept ? null : (
        <p role="alert" className="px-2 text-xs text-bad">{t`This browser does not store views.`}</p>
      )}
    </div>
  );
}

function ViewButton({ title, onClick }: { readonly title: string; readonly onClick: () => void }) {
  return (
    <Button look="quiet" className="min-w-0 flex-1 !justify-start !px-2 font-normal" onClick={onClick}>
      <bdi className="truncate">{title}</bdi>
    </Button>
  );
}

interface NameFormProps {
  readonly label: string;
  readonly action: string;
  readonly first?: string;
  readonly onName: (name: string) => void;
}

function NameForm({ label, action, first = '', onName }: NameFormProps) {
  const [name, setName] = useState(first);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '') onName(name.trim());
  };
  return (
    <form onSubmit={onSubmit} className="flex flex-1 items-end gap-1">
      <TextField label={label} kind="name" maxLength={40} className="flex-1" value={name} onText={setName} />
      <IconButton icon={Check} look="plain" label={action} type="submit" disabled={name.trim() === ''} />
    </form>
  );
}

type Search = Shown['search'];

/** Today's days would be wrong tomorrow, so the name of their span is stored. */
function withoutDays({ from, to, ...rest }: Search): Search {
  const span = daySpanOf(from, to);
  if (span !== null) return { ...rest, span };
  return { ...rest, ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

function withDays({ span, ...rest }: Search): Search {
  return span !== undefined && isDaySpan(span) ? { ...rest, ...daySpan(span) } : rest;
}
