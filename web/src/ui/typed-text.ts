// Detects text that was typed in a dialog but not sent, so that closing asks first. Choices and passwords do not count.

import { useEffect, useState } from 'react';

type TextField = HTMLInputElement | HTMLTextAreaElement;

const typedTypes: ReadonlySet<string> = new Set([
  'text',
  'textarea',
  'email',
  'search',
  'number',
  'tel',
  'url',
  'date',
  'time',
]);

export function useTypedText(element: HTMLElement | null): () => boolean {
  const [fields] = useState(() => new Map<TextField, { readonly first: string; last: string }>());
  useEffect(() => {
    if (element === null) return;
    const know = ({ target }: { readonly target: EventTarget | null }) => {
      if (isTextField(target) && !fields.has(target)) {
        fields.set(target, { first: target.value, last: target.value });
      }
    };
    const onInput = ({ target }: Event) => {
      const known = isTextField(target) ? fields.get(target) : undefined;
      if (known !== undefined && isTextField(target)) known.last = target.value;
    };
    for (const target of element.querySelectorAll('input, textarea')) know({ target });
    element.addEventListener('focusin', know);
    element.addEventListener('input', onInput);
    const onLeave = (event: BeforeUnloadEvent) => {
      if (isTyped(fields)) event.preventDefault();
    };
    window.addEventListener('beforeunload', onLeave);
    return () => {
      element.removeEventListener('focusin', know);
      element.removeEventListener('input', onInput);
      window.removeEventListener('beforeunload', onLeave);
    };
  }, [element, fields]);
  return () => isTyped(fields);
}

/** If a field was removed, as on a form's second step, its last text counts. */
function isTyped(fields: ReadonlyMap<TextField, { readonly first: string; readonly last: string }>): boolean {
  return [...fields].some(
    ([field, { first, last }]) => (field.isConnected ? field.value : last).trim() !== first.trim(),
  );
}

function isTextField(target: EventTarget | null): target is TextField {
  return (
    (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) &&
    typedTypes.has(target.type)
  );
}
