// An account's lists, registered for the caller's own account and, for the operator, for any account. The panel's pages get
// more filters and figures.

import type { FastifyInstance, FastifyReply, FastifyRequest, preHandlerAsyncHookHandler } from 'fastify';
import Type, { type TProperties, type TSchema } from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import { readFormat } from '../../platform/http/answer-format.ts';
import { type FilterableList, filteredListCodes, readFilteredPage } from '../../platform/http/cursor-page.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import { allPages, sendExport } from '../../platform/http/send-export.ts';
import type { PerAccountConcurrency } from '../../platform/limits/per-account-concurrency.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import type { Awaitable } from '../../shared/awaitable.ts';
import type { ErrorCode } from '../../shared/error-catalog.ts';
import { parseAccountId } from '../../shared/identifiers.ts';
import { filteredPageOf } from '../../shared/list-schemas.ts';
import { type Page, pageAnswer, parsePage } from '../../shared/pages.ts';
import type { Scope } from '../../shared/scopes.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { Account, AccountCounters } from './account-table.ts';
import type { Authenticator } from './authenticator.ts';
import { findAccount } from './find-accounts.ts';
import { concurrencyOf } from './whose-turn.ts';

export interface ListedAccount {
  readonly account: Account;
  readonly counters: AccountCounters;
  readonly now: EpochSeconds;
}

export interface ListOwner {
  readonly kind: 'own' | 'ofAccount';
  readonly path: '' | '/accounts/:id';
  readonly codes: readonly ErrorCode[];
  readonly options: { readonly preHandler?: preHandlerAsyncHookHandler };
  readonly isForPages: boolean;
  scopes(own: Scope): Scope[];
  /** @throws RequestRefused with account_not_found */
  find(request: FastifyRequest): Awaitable<ListedAccount>;
}

export function ownLists(by: Authenticator): ListOwner {
  return {
    kind: 'own',
    path: '',
    codes: [],
    options: { preHandler: by.confirm },
    isForPages: by.kind === 'session',
    scopes: (own) => [own],
    find: ({ principal: { account, now }, counters }) => ({ account, counters, now: now() }),
  };
}

export function listsOfAccounts(by: Authenticator, database: Database, now: () => EpochSeconds): ListOwner {
  return {
    kind: 'ofAccount',
    path: '/accounts/:id',
    codes: ['account_not_found'],
    options: {},
    isForPages: by.kind === 'session',
    scopes: () => ['admin:read'],
    async find({ params }) {
      const { id = '' } = params as { readonly id?: string };
      const accountId = parseAccountId(id);
      const found = accountId === null ? null : await findAccount(database, accountId);
      const account = orRefuse(found, 'account_not_found');
      return { account, counters: account, now: now() };
    },
  };
}

export interface FoundItems<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

type FindItems<Item> = (position: string | null, limit: number) => Promise<FoundItems<Item>>;

export interface AccountList<Filter, Item> {
  readonly name: 'orders' | 'customers' | 'ledger';
  readonly scope: Scope;
  readonly counter: 'orderCount' | 'customerCount' | 'entryCount';
  readonly documented: Readonly<
    Record<
      ListOwner['kind'],
      { readonly operationId: string; readonly summary: string; readonly description: string }
    >
  >;
  readonly querystring: Type.TObject;
  readonly item: string;
  readonly filters: FilterableList<Filter>;
  readonly forPages: {
    readonly querystring: TProperties;
    readonly item: TSchema | string;
    readonly filters: FilterableList<Filter>;
    readonly figures: TProperties;
    figuresOf(listed: ListedAccount, filter: Filter): Promise<object>;
  };
  read(listed: ListedAccount, page: Page, total: number): Promise<readonly Item[]>;
  /** Looks up the search's ids once, before the first page. */
  finder(listed: ListedAccount, filter: Filter): Awaitable<FindItems<Item>>;
  view(listed: ListedAccount, isForPages: boolean): (item: Item) => Awaitable<object>;
  csv(pages: AsyncIterable<readonly Item[]>, listed: ListedAccount): AsyncIterable<string>;
}

export interface AccountListDependencies {
  readonly seal: Seal;
  /** Limits concurrent lists of sessions. The guard already took a turn for this request. */
  readonly lists: PerAccountConcurrency;
  readonly exports: PerAccountConcurrency;
}

export function accountListRoute<Filter, Item>(
  app: FastifyInstance,
  dependencies: AccountListDependencies,
  owner: ListOwner,
  list: AccountList<Filter, Item>,
): void {
  const { isForPages } = owner;
  const { querystring, item, filters } = isForPages
    ? {
        ...list.forPages,
        querystring: Type.Object({ ...list.querystring.properties, ...list.forPages.querystring }),
      }
    : list;
  const answer = filteredPageOf(item);

  app.get(
    `${owner.path}/${list.name}`,
    {
      ...owner.options,
      config: { scopes: owner.scopes(list.scope), codes: [...filteredListCodes, ...owner.codes] },
      schema: {
        ...list.documented[owner.kind],
        querystring,
        response: {
          200: isForPages ? Type.Object({ ...answer.properties, ...list.forPages.figures }) : answer,
        },
      },
    },
    (request, reply) => sendList(request, reply),
  );

  async function sendList(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { query, headers } = request;
    const listed = await owner.find(request);
    const { account, counters } = listed;
    const format = readFormat(query, headers.accept, ['json', 'csv']);
    const filtered = readFilteredPage(dependencies.seal, filters, account.id, query, format === 'csv');
    if (filtered === null) {
      const page = parsePage(query);
      const total = counters[list.counter];
      const items = await list.read(listed, page, total);
      return reply.send(pageAnswer(await Promise.all(items.map(list.view(listed, false))), page, total));
    }
    const { filter, position, limit, cursorAt } = filtered;
    const find = await list.finder(listed, filter);
    if (format === 'csv') {
      // Exports are counted separately, so that lists can run meanwhile.
      dependencies.lists.end(reply);
      const turns = { exports: dependencies.exports, accountId: concurrencyOf(request) };
      const chunks = list.csv(allPages(position, find), listed);
      return sendExport(reply, turns, format, `${list.name}-${account.username}`, chunks);
    }
    const view = list.view(listed, isForPages);
    const [found, figures] = await Promise.all([
      find(position, limit),
      isForPages ? list.forPages.figuresOf(listed, filter) : {},
    ]);
    const data = await Promise.all(found.items.map(view));
    return reply.send({ data, next_cursor: cursorAt(found.next), ...figures });
  }
}
