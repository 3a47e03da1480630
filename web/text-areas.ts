// Which sources speak from which catalogue (lingui.config.ts), as globs below src/: all others speak from the first, `panel`.

export const consoleSources = ['console/**'];

export const seldomSources = [
  'keys/**',
  'order/**',
  'people/**',
  'plan/**',
  'requests/**',
  'shell/{command-palette,first-password-screen,second-factor-screen,shortcut-sheet,totp-setup}.tsx',
  'webhooks/**',
  'ui/{error-sentences,lost-answer}.tsx',
  'ui/field-problems.ts',
  'test-mode/test-band.tsx',
  'test-mode/*-dialog*.tsx',
  'account/{address-notice,alerts-card,allow-list-card,api-access-page,api-key-card,email-card,first-request-card}.tsx',
  'account/bulk-auto-renew-dialog.tsx',
  'account/{forecast-page,password-card,people-page,reset-password-page,security-page,sessions-card}.tsx',
  'account/{login-link-dialog,login-links-card}.tsx',
  'account/{events-page,totp-card,usage-card,webhook-page,webhooks-page}.tsx',
];
