import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { RequestRefused } from '../../platform/http/request-refused.ts';
import type { WithBody } from '../../platform/http/route-params.ts';
import { formatAmount, parseAmount } from '../../shared/amounts.ts';
import { fieldRefusal } from '../../shared/error-catalog.ts';
import { actorOf } from '../identity/principal.ts';
import { confirmedAddresses } from './alert-addresses.ts';
import { type AlertsView, alertsAnswerSchema, alertsBodySchema } from './alert-schemas.ts';
import { type Alerts, readAlerts, replaceAlerts } from './alert-store.ts';

export function alertRoutes(app: FastifyInstance, { database }: { readonly database: Database }): void {
  async function answerOf(accountId: number, alerts: Alerts) {
    const confirmed = await confirmedAddresses(database, accountId, alerts.emails);
    return { alerts: alertsView(alerts), confirmed_emails: [...confirmed] };
  }

  app.get(
    '/alerts',
    {
      config: { scopes: ['events:read'], codes: [] },
      schema: {
        operationId: 'getAlerts',
        summary: 'Get the alert settings',
        description:
          'Empty until you set alerts; events do not depend on them. confirmed_emails: the addresses in emails that are confirmed and get alerts.',
        response: { 200: alertsAnswerSchema },
      },
    },
    async (request, reply) => {
      const alerts = await readAlerts(database, request.principal.account.id);
      return reply.send(await answerOf(request.principal.account.id, alerts));
    },
  );

  app.put<WithBody<typeof alertsBodySchema>>(
    '/alerts',
    {
      config: { scopes: ['webhooks:write'], codes: ['validation_failed', 'reset_in_progress'] },
      schema: {
        operationId: 'setAlerts',
        summary: 'Set alerts for a low balance and ending plans',
        description:
          'Replaces all alert settings: an alert that is left out is off. Repeating the request changes nothing. balance.low occurs each time the balance falls below balance_below, and not again while it stays there or if it is already below. Each alert is an event, and a mail to emails where the operator sends mail. These addresses are also mailed about payments: credited, failed, refunded or disputed top-ups, and automatic top-ups that pause or end, and with weekly_summary each Monday about the business. A new address gets a link and receives alerts once it is confirmed. Repeating the request mails another link to unconfirmed addresses, at most once a day.',
        body: alertsBodySchema,
        response: { 200: alertsAnswerSchema },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const belowCents = body.balance_below === undefined ? null : parseAmount(body.balance_below);
      if (body.balance_below !== undefined && (belowCents === null || belowCents <= 0n)) {
        throw new RequestRefused(fieldRefusal('validation_failed', 'balance_below', 'must be above 0.00'));
      }
      const wanted: Alerts = {
        belowCents,
        plansEndingDays: body.plans_ending_days ?? null,
        emails: [...new Set(body.emails ?? [])],
        weeklySummary: body.weekly_summary ?? false,
      };
      const { now, ...caller } = actorOf(request.principal);
      const isSet = await replaceAlerts(database, request.principal.account.id, wanted, caller, now);
      if (!isSet) throw new RequestRefused('reset_in_progress');
      return reply.send(await answerOf(request.principal.account.id, wanted));
    },
  );
}

function alertsView({ belowCents, plansEndingDays, emails, weeklySummary }: Alerts): AlertsView {
  return {
    balance_below: belowCents === null ? null : formatAmount(belowCents),
    plans_ending_days: plansEndingDays,
    emails: [...emails],
    weekly_summary: weeklySummary,
  };
}
