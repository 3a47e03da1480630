// Which sources use which text catalog (lingui.config.ts), as globs below src/. All other sources use the catalog `panel`.

export const consoleSources = [
  'features/accounts/**',
  'features/audit/**',
  'features/business/{business-accounts-card,forecast-card}.tsx',
  'features/brand/{brand-page,brand-previews}.tsx',
  'features/customers/{all-customers-page,any-customer-drawer,any-customer-page,customer-money,suspend-dialog}.tsx',
  'features/fulfillment/**',
  'features/ledger/revenue-page.tsx',
  'features/orders/{account-order-page,all-orders-page,change-package-dialog}.tsx',
  'features/overview/{background-jobs-card,console-overview-page,health-page,health-verdict,ledgers-card,refusals-card,running-out-line}.tsx',
  'features/overview/job-words.ts',
  'features/packages/**',
  'features/payments/{all-topups,any-topup-drawer,payment-problems,payments-form,payments-page,refund-dialog}.tsx',
  'features/payments/{account-filter,account-filter-dialog,account-search,assign-line-dialog,bank-import-card,bank-line-actions,bank-tab,csv-columns-dialog}.tsx',
  'features/payments/{credit-dialog,receivables-card,receivables-tab,settings-tab,topup-stats,write-off-dialog}.tsx',
  'features/payments/{bank-file-words,bank-line-words,csv-header,payments-draft,problem-words}.ts',
  'features/plans/trial-dialog.tsx',
  'features/request-log/refused-accounts-card.tsx',
  'features/retention/**',
];

/** Shown before the sign-in (src/entry.tsx), besides the catalog `panel`. */
export const entrySources = [
  'features/auth/{first-password-screen,look-around,password-form,reset-password-page,sign-in-page}.tsx',
];

export const seldomSources = [
  'features/alerts/**',
  'features/auth/{password-card,password-form,second-factor-screen,security-page,sessions-card,totp-card,totp-setup}.tsx',
  'features/business/{business-page,business-stats,calculating-notice,cohorts-card,definition,packages-card,trend-card}.tsx',
  'features/customers/{customer-actions,customer-drawer,customer-page,customer-stats,erase-dialog,login-link-dialog,login-links-card}.tsx',
  'features/events/**',
  'features/keys/{address-notice,allow-list-card,api-access-page,connect-page,show-key-dialog}.tsx',
  'features/keys/{key-dialogs,key-form-dialog,keys-card,usage-card}.tsx',
  'features/keys/scope-words.ts',
  'features/ledger/entry-drawer.tsx',
  'features/orders/{customer-field,order-dialog,order-done,order-preview-box}.tsx',
  'features/orders/{order-course,order-drawer,order-facts,order-failure,order-page,order-sheet}.tsx',
  'features/orders/{known-customer,open-order,plan-step,similar-reference}.ts',
  'features/payments/{auto-topup-card,auto-topup-dialog}.tsx',
  'features/payments/{add-funds-dialog,bank-details,cancel-topup-dialog,order-funds,topup-columns}.tsx',
  'features/payments/{receivable-notice,topup-page,topup-state,topups-page}.tsx',
  'features/payments/topup-words.ts',
  'features/people/**',
  'features/plans/{bulk-auto-renew-dialog,bulk-renew-dialog,forecast-page,plan-dialogs,plan-history}.tsx',
  'features/request-log/{body-capture-card,request-drawer,request-list,requests-page,status-badge}.tsx',
  'features/request-log/refusal-meanings.ts',
  'features/test-mode/{clock-dialog,test-band,test-dialogs}.tsx',
  'features/webhooks/**',
  'shell/{command-palette,shortcut-sheet}.tsx',
  'ui/{action-menu,body-box,error-sentences,ruled-price,saved-views}.tsx',
  'ui/field-problems.ts',
];
