// Which sources use which text catalog (lingui.config.ts), as globs below src/. All other sources use the catalog `panel`.

export const consoleSources = [
  'features/accounts/**',
  'features/audit/**',
  'features/brand/{brand-page,brand-previews}.tsx',
  'features/customers/{all-customers-page,any-customer-drawer,any-customer-page,suspend-dialog}.tsx',
  'features/fulfillment/**',
  'features/ledger/revenue-page.tsx',
  'features/orders/{account-order-page,change-package-dialog}.tsx',
  'features/overview/{console-overview-page,health-page}.tsx',
  'features/overview/job-words.ts',
  'features/packages/**',
  'features/payments/**',
  'features/plans/trial-dialog.tsx',
  'features/request-log/refused-accounts-card.tsx',
];

export const seldomSources = [
  'features/alerts/**',
  'features/auth/{first-password-screen,password-card,reset-password-page,second-factor-screen}.tsx',
  'features/auth/{security-page,sessions-card,totp-card,totp-setup}.tsx',
  'features/customers/{login-link-dialog,login-links-card}.tsx',
  'features/events/**',
  'features/keys/{address-notice,allow-list-card,api-access-page,api-key-card,first-request-card}.tsx',
  'features/keys/{key-dialogs,key-form-dialog,keys-card,usage-card}.tsx',
  'features/keys/scope-words.ts',
  'features/orders/{customer-field,order-dialog,order-done,order-preview-box}.tsx',
  'features/orders/{known-customer,open-order,plan-step,similar-reference}.ts',
  'features/people/**',
  'features/plans/{bulk-auto-renew-dialog,forecast-page,plan-dialogs,plan-history}.tsx',
  'features/request-log/{body-capture-card,request-drawer,request-list,status-badge}.tsx',
  'features/request-log/refusal-meanings.ts',
  'features/test-mode/{clock-dialog,test-band,test-dialogs}.tsx',
  'features/webhooks/**',
  'shell/{command-palette,shortcut-sheet}.tsx',
  'ui/{body-box,error-sentences}.tsx',
  'ui/field-problems.ts',
];
