/** The page to open after a sign-in: only paths below `base`, so that a crafted link cannot lead to another site. */
export function wantedPath(
  base: string,
  { pathname, search }: Pick<Location, 'pathname' | 'search'>,
): string {
  if (pathname.startsWith(`${base}/`) && !/^\/sign-in\/?$/.test(pathname.slice(base.length)))
    return pathname.slice(base.length) + search;
  const next = new URLSearchParams(search).get('next') ?? '/';
  return /^\/(?![/\\])/.test(next) && !next.startsWith('/sign-in') ? next : '/';
}
