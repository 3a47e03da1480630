// What this browser, or this tab, keeps of a choice. Some browsers keep nothing for a page: then nothing was chosen.

type Storage = 'localStorage' | 'sessionStorage';

export function readKept(name: string, storage: Storage = 'localStorage'): string | null {
  try {
    return window[storage].getItem(name);
  } catch {
    return null;
  }
}

/** null: nothing any more. False where the browser keeps nothing. */
export function keep(name: string, value: string | null, storage: Storage = 'localStorage'): boolean {
  try {
    if (value === null) window[storage].removeItem(name);
    else window[storage].setItem(name, value);
    return true;
  } catch {
    return false;
  }
}
