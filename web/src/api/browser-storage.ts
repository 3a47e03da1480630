// Stores a choice in this browser or tab. If the browser refuses storage, nothing is stored.

type Storage = 'localStorage' | 'sessionStorage';

export function readKept(name: string, storage: Storage = 'localStorage'): string | null {
  try {
    return window[storage].getItem(name);
  } catch {
    return null;
  }
}

/** null removes the entry. Returns false if the browser refuses storage. */
export function keep(name: string, value: string | null, storage: Storage = 'localStorage'): boolean {
  try {
    if (value === null) window[storage].removeItem(name);
    else window[storage].setItem(name, value);
    return true;
  } catch {
    return false;
  }
}
