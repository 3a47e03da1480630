// Panel schemas of events and endpoints (docs/panel-api.md).

import Type from 'typebox';
import { nullable } from '../../shared/schema-parts.ts';

export const latestEventsFilterSchema = Type.Object({
  type: Type.Optional(Type.String({ description: 'Events of this type alone.' })),
  before: Type.Optional(
    Type.Unsafe<string>({ type: 'integer', minimum: 1, description: 'next_before of the previous page.' }),
  ),
});

export const latestEventsSchema = Type.Object({
  data: Type.Array(Type.Ref('AccountEvent')),
  next_before: nullable(Type.Integer({ description: 'Ask for the next page with it.' })),
  written: Type.Boolean({
    description:
      'false: no event of this account is written, until it has an endpoint or alerts, or its feed is read through the API.',
  }),
});
