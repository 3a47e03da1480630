import { useEffect } from 'react';
import { windowTitle } from '../text/service-name.ts';

/** For pages that are also shown before the sign-in, where a <title> among the elements of a page names no window. */
export function useWindowTitle(title: string): void {
  useEffect(() => {
    document.title = windowTitle(title);
  }, [title]);
}
