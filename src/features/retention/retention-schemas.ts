// Schemas of the retention settings, in the admin API.

import Type, { type Static } from 'typebox';
import { type RetentionName, retentionLimits } from '../../shared/retention-limits.ts';
import { example, orNothing } from '../../shared/schema-parts.ts';

const days = (name: RetentionName, description: string) =>
  Type.Integer({ description, ...retentionLimits[name] });

const fields = {
  request_log_days: days(
    'request_log_days',
    'Days that requests of accounts are kept, with their bodies. At first 7.',
  ),
  event_days: days('event_days', 'Days that events are kept, of the feeds and for endpoints. At first 90.'),
  mail_days: days('mail_days', 'Days that mails are kept: addresses, subjects and times. At first 30.'),
  audit_address_days: orNothing(
    days('audit_address_days', ''),
    'Days after which entries of the audit log lose the address of the client, and nothing else. null, as at first: never.',
  ),
  closed_account_days: orNothing(
    days('closed_account_days', ''),
    'Days after which the customers of a closed account are erased, as by POST /customers/{id}/erase. null, as at first: never.',
  ),
};

export const retentionSchema = Type.Object(fields, { $id: 'Retention' });
export type RetentionView = Static<typeof retentionSchema>;

export const retentionAnswerSchema = Type.Object({ retention: Type.Ref('Retention') });

export const setRetentionBodySchema = Type.Partial(
  Type.Object(fields),
  example({ request_log_days: 14, audit_address_days: 180 }),
);
