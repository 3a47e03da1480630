import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { readFormat } from '../../platform/http/answer-format.ts';
import { filteredListCodes, readFilteredPage } from '../../platform/http/cursor-page.ts';
import { endOfTime, type ListQuery, numberMax } from '../../platform/http/list-query.ts';
import { RequestRefused } from '../../platform/http/request-refused.ts';
import { allPages, sendExport } from '../../platform/http/send-export.ts';
import type { PerAccountConcurrency } from '../../platform/limits/per-account-concurrency.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { fieldRefusal, isRefusal, type Refusal } from '../../shared/error-catalog.ts';
import { parseAccountId, parseRowId } from '../../shared/identifiers.ts';
import { cursorPageOf } from '../../shared/list-schemas.ts';
import type { SignInLog } from '../auth/sign-in-log.ts';
import type { CustomerReads } from '../customers/customer-reads.ts';
import { findAccountByUsername } from '../identity/find-accounts.ts';
import { findPersonId } from '../identity/find-people.ts';
import { concurrencyOf } from '../identity/whose-turn.ts';
import type { PackageCatalogHolder } from '../packages/package-catalog.ts';
import { auditCsv } from './audit-csv.ts';
import { auditFilterSchema, foundAuditEntrySchema } from './audit-schemas.ts';
import { auditTargets, subjectsOf } from './audit-targets.ts';
import { auditView } from './audit-view.ts';
import { type AuditFilter, searchAudit } from './search-audit-log.ts';

interface AuditPanelRoutesDependencies {
  readonly customers: CustomerReads;
  readonly database: Database;
  readonly exports: PerAccountConcurrency;
  readonly packages: PackageCatalogHolder;
  readonly seal: Seal;
  readonly signIns: SignInLog;
}

const foundAudit = {
  list: 'audit',
  names: ['actor', 'account', 'action', 'target', 'from', 'to'],
  read: (sent: ListQuery) => ({
    actor: sent.text('actor').trim(),
    account: sent.text('account').trim(),
    action: sent.text('action').trim(),
    target: sent.text('target').trim(),
    span: sent.span('from', 'to') ?? { since: 0, until: endOfTime },
  }),
};

export function auditPanelRoutes(app: FastifyInstance, dependencies: AuditPanelRoutesDependencies): void {
  const { database, customers, exports, packages, seal, signIns } = dependencies;

  app.get(
    '/audit',
    {
      config: { scopes: ['admin:read'], codes: [...filteredListCodes, 'validation_failed'] },
      schema: {
        operationId: 'searchAudit',
        summary: 'Who changed what, newest first, by actor, account, action, target and time',
        querystring: auditFilterSchema,
        response: { 200: cursorPageOf(foundAuditEntrySchema) },
      },
    },
    async (request, reply) => {
      const { query, headers } = request;
      const format = readFormat(query, headers.accept, ['json', 'csv']);
      const page = readFilteredPage(seal, foundAudit, 0, query, true);
      const { filter: sent, position, limit, cursorAt } = page;
      const { action, span } = sent;
      const [actor, accountId, subjects] = await Promise.all([
        actorOf(sent.actor),
        accountOf(sent.account),
        sent.target === '' ? [] : subjectsOf(customers, sent.target),
      ]);
      if (isRefusal(actor)) throw new RequestRefused(actor);
      if (isRefusal(accountId)) throw new RequestRefused(accountId);
      if (subjects === null) {
        const reason = 'must look like account:12, package:3, customer:12000000034 or product';
        throw new RequestRefused(fieldRefusal('validation_failed', 'target', reason));
      }
      await signIns.settled();
      const find = async (from: string | null, most: number) => {
        const before = from === null ? numberMax : Number(from);
        const filter = { ...span, actor, accountId, action, subjects, before, limit: most };
        const { entries, nextBefore } = await searchAudit(database, filter);
        const targets = await auditTargets({ database, customers, packages: packages.current() }, entries);
        const items = entries.map((entry, index) => ({ entry: auditView(entry), target: targets[index] }));
        return { items, next: nextBefore === null ? null : String(nextBefore) };
      };
      if (format === 'csv') {
        const turns = { exports, accountId: concurrencyOf(request) };
        return sendExport(reply, turns, format, 'audit-log', auditCsv(allPages(position, find)));
      }
      const { items, next } = await find(position, limit);
      return reply.send({ data: items, next_cursor: cursorAt(next) });
    },
  );

  async function actorOf(text: string): Promise<AuditFilter['actor'] | Refusal> {
    if (text === '') return null;
    const [, type, id = ''] = /^(account|key|person):(\d+)$/.exec(text) ?? [];
    const number = type === undefined ? null : parseRowId(id);
    if (number !== null && (type === 'account' || type === 'key' || type === 'person')) {
      return { type, id: number };
    }
    const personId = await findPersonId(database, text);
    if (personId !== null) return { type: 'person', id: personId };
    return fieldRefusal('validation_failed', 'actor', 'nobody has this username');
  }

  async function accountOf(text: string): Promise<number | null | Refusal> {
    if (text === '') return null;
    const account = await findAccountByUsername(database, text);
    const id = account === null || account.testOf !== null ? parseAccountId(text) : account.id;
    return id ?? fieldRefusal('validation_failed', 'account', 'no account has this username');
  }
}
