import { eventDescriptions, eventSchemaName, eventTypes } from './event-schemas.ts';

export function documentEvents(document: object): void {
  const header = (name: string, description: string) => ({
    in: 'header',
    name,
    required: true,
    description,
    schema: { type: 'string', maxLength: 512, pattern: '^[!-~ ]+$' },
  });
  const parameters = [
    header('webhook-id', 'The same at every attempt: ignore an event whose id you have already processed.'),
    header('webhook-timestamp', 'When this attempt was made, in seconds since 1970.'),
    header(
      'webhook-signature',
      'v1,… as in Standard Webhooks. While a secret is being replaced, two signatures with a space between them.',
    ),
  ];
  const webhooks = eventTypes.map((type) => [
    type,
    {
      post: {
        operationId: `on${eventSchemaName(type)}`,
        summary: eventDescriptions[type].summary,
        tags: ['events'],
        security: [],
        parameters,
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: { $ref: `#/components/schemas/${eventSchemaName(type)}` } },
          },
        },
        responses: { '2XX': { description: 'Received. Anything else is tried again.' } },
      },
    },
  ]);
  Object.assign(document, { webhooks: Object.fromEntries(webhooks) });
}
