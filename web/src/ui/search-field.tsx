// A list's search box. It applies the text when typing pauses, unless the page was left. `/` focuses it.

import { useRouter } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { inputClasses } from './field.tsx';

const pauseMilliseconds = 300;

interface SearchFieldProps {
  readonly label: string;
  /** Shown on hover: what the search finds, and what it does not. */
  readonly hint?: string | undefined;
  readonly value: string;
  readonly onSearch: (text: string) => void;
  readonly isAmount?: boolean;
}

export function SearchField({ label, hint, value, onSearch, isAmount = false }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const shown = useRef(value);
  // Texts that were sent but are not yet in the URL. On slow machines people keep typing meanwhile.
  const handedOn = useRef<readonly string[]>([]);
  const router = useRouter();
  const latest = useRef(onSearch);
  latest.current = onSearch;
  if (value !== shown.current) {
    shown.current = value;
    const place = handedOn.current.indexOf(value);
    handedOn.current = handedOn.current.slice(place + 1);
    // Something else changed the URL, for example Back. The URL wins over the typed text.
    if (place === -1) {
      handedOn.current = [];
      setText(value);
    }
  }
  useEffect(() => {
    if (text.trim() === (handedOn.current.at(-1) ?? shown.current)) return;
    const timer = setTimeout(() => {
      handedOn.current = [...handedOn.current, text.trim()];
      latest.current(text.trim());
    }, pauseMilliseconds);
    const unsubscribe = router.subscribe('onBeforeNavigate', ({ pathChanged }) => {
      if (pathChanged) clearTimeout(timer);
    });
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  }, [text, router]);
  return (
    <search
      className={`relative min-w-0 flex-1 ${isAmount ? 'basis-32 sm:max-w-40' : 'first-filter basis-40'}`}
    >
      {isAmount ? null : (
        <Search
          aria-hidden="true"
          className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-soft"
        />
      )}
      <input
        type="search"
        data-search-field={isAmount ? undefined : ''}
        inputMode={isAmount ? 'decimal' : undefined}
        aria-label={label}
        aria-description={hint}
        title={hint ?? label}
        placeholder={label}
        value={text}
        maxLength={254}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
        className={isAmount ? inputClasses : `${inputClasses} !pl-9`}
      />
    </search>
  );
}
