import { formatTime } from '../../shared/times.ts';
import type { AuditEntryView } from './audit-schemas.ts';
import type { RecordedAuditEntry } from './read-audit-log.ts';

export function auditView(entry: RecordedAuditEntry): AuditEntryView {
  return {
    number: entry.number,
    at: formatTime(entry.at),
    actor: { id: entry.actorId, username: entry.actor },
    action: entry.action,
    subject: entry.subject,
    before: entry.before,
    after: entry.after,
    by: entry.by == null ? null : { type: entry.by.type, id: entry.by.id, name: entry.byName },
  };
}
