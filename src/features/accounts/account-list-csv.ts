import { csvOf, type Pages } from '../../platform/http/csv.ts';
import type { FoundAccountView } from './account-panel-schemas.ts';

const columns = [
  'id',
  'username',
  'display_name',
  'email',
  'group',
  'blocked',
  'api_enabled',
  'halted',
  'closed_at',
  'created_at',
  'customers',
  'orders',
  'last_order_at',
  'active_plans',
  'mrr',
  'balance',
  'due_in_90_days',
  'runs_out_on',
  'currency',
] as const;

export function accountListCsv(pages: Pages<FoundAccountView>): AsyncGenerator<string> {
  return csvOf(pages, columns, (account) => [
    String(account.id),
    { text: account.username },
    { text: account.display_name },
    { text: account.email ?? '' },
    account.group,
    String(account.blocked),
    String(account.api_enabled),
    String(account.halted),
    account.closed_at ?? '',
    account.created_at,
    String(account.customer_count),
    String(account.order_count),
    account.last_order_at ?? '',
    String(account.outlook?.active_plans ?? ''),
    account.outlook?.mrr ?? '',
    account.balance,
    account.outlook?.due ?? '',
    account.outlook?.runs_out_on ?? '',
    account.currency,
  ]);
}
