// Warns if the configured API address differs from the page's. One of them may be wrong, so copied samples may not work.

import { Trans } from '@lingui/react/macro';
import { useMe } from '../../api/me.ts';
import { Notice } from '../../ui/notice.tsx';

export function AddressNotice() {
  const { account, api_url: apiUrl } = useMe();
  const { origin } = window.location;
  if (new URL(apiUrl).origin === origin) return null;
  return (
    <Notice tone="warn">
      <p>
        <Trans>
          Programs use <code className="font-mono wrap-anywhere">{apiUrl}</code>, but you opened this page at{' '}
          <code className="font-mono wrap-anywhere">{origin}</code>.
        </Trans>
      </p>
      <p>
        {account.is_admin ? (
          <Trans>
            If resellers use this address, set <code className="font-mono">PUBLIC_URL</code> to it and restart
            the service. Customer links use the same address.
          </Trans>
        ) : (
          <Trans>
            If the first address doesn’t work for your program, use the second and tell the operator: the
            setting is <code className="font-mono">PUBLIC_URL</code>.
          </Trans>
        )}
      </p>
    </Notice>
  );
}
