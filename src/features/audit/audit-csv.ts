import { csvOf, type Pages } from '../../platform/http/csv.ts';
import type { AuditEntryView, AuditTargetView } from './audit-schemas.ts';

interface FoundEntry {
  readonly entry: AuditEntryView;
  readonly target: AuditTargetView | undefined;
}

const header = [
  'number',
  'at',
  'action',
  'subject',
  'target',
  'account',
  'actor',
  'by_type',
  'by_name',
  'before',
  'after',
];

export function auditCsv(pages: Pages<FoundEntry>): AsyncGenerator<string> {
  return csvOf(pages, header, ({ entry, target }) => [
    String(entry.number),
    entry.at,
    entry.action,
    { text: entry.subject },
    { text: target?.name ?? '' },
    { text: target?.account?.username ?? '' },
    { text: entry.actor.username },
    entry.by?.type ?? '',
    { text: entry.by?.name ?? '' },
    { text: jsonOf(entry.before) },
    { text: jsonOf(entry.after) },
  ]);
}

function jsonOf(value: unknown): string {
  return value === null || value === undefined ? '' : JSON.stringify(value);
}
