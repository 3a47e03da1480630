// Shows the pages before the sign-in. Loaded after the texts.

import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/query-client.ts';
import { ResetPasswordPage } from './features/auth/reset-password-page.tsx';
import { SignInPage } from './features/auth/sign-in-page.tsx';
import { UnlessLeaving } from './shell/leaving-screen.tsx';
import './ui/preact-attributes.ts';

export function startEntry(): void {
  const root = document.getElementById('root');
  if (root === null) throw new Error('entry.html has no #root.');
  root.removeAttribute('aria-busy');
  const isReset = /\/reset-password\/?$/.test(window.location.pathname);
  createRoot(root).render(
    <I18nProvider i18n={i18n}>
      <QueryClientProvider client={createQueryClient()}>
        <UnlessLeaving>{isReset ? <ResetPasswordPage /> : <SignInPage />}</UnlessLeaving>
      </QueryClientProvider>
    </I18nProvider>,
  );
  document.addEventListener('input', fetchPanel, { once: true });
}

/** Fetches the panel's files into the browser's cache while the person types, so that it opens fast after the sign-in. */
function fetchPanel(): void {
  const files = document.querySelector<HTMLMetaElement>('meta[name="panel-files"]')?.content ?? '';
  for (const file of files.split(' ').filter((name) => name !== '')) {
    const link = document.createElement('link');
    link.rel = 'modulepreload';
    link.fetchPriority = 'low';
    link.crossOrigin = '';
    link.href = import.meta.env.BASE_URL + file;
    document.head.append(link);
  }
}
