// The mark and the name.

import { Trans } from '@lingui/react/macro';
export function Logo() {
  return (
    <span className="inline-flex items-center gap-2 font-semibold tracking-tight">
      <svg aria-hidden="true" viewBox="0 0 32 32" className="size-6">
        <rect width="32" height="32" rx="8" className="fill-accent" />
        <path
          d="M9 22.5h9.5a3.25 3.25 0 0 0 0-6.5h-5a3.25 3.25 0 0 1 0-6.5H23"
          fill="none"
          strokeWidth="3"
          strokeLinecap="round"
          className="stroke-on-accent"
        />
      </svg>
      <Trans>Sellthrough</Trans>
    </span>
  );
}
