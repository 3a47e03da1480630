import { t } from '@lingui/core/macro';
import type { AccountEvent } from '../../api/shapes.ts';
import { BodyBox } from '../../ui/body-box.tsx';
import { Copied } from '../../ui/copied.tsx';
import type { Fact } from '../../ui/facts.tsx';
import { CustomerLink, OrderLink } from '../../ui/page-links.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { eventSubject } from './event-subject.ts';

export function eventFacts(event: AccountEvent): Fact[] {
  const { text, customer, orderId, webhookId, packageName } = eventSubject(event);
  return [
    ...(customer === null
      ? []
      : [{ name: t`Customer`, value: <CustomerLink id={customer.id}>{customer.name}</CustomerLink> }]),
    ...(packageName === null ? [] : [{ name: t`Package`, value: <bdi>{packageName}</bdi> }]),
    ...(orderId === null ? [] : [{ name: t`Order`, value: <OrderLink id={orderId}>{orderId}</OrderLink> }]),
    ...(webhookId === null
      ? []
      : [
          {
            name: t`Endpoint`,
            value: (
              <TextLink to="/webhooks/$webhookId" params={{ webhookId: String(webhookId) }}>
                {text}
              </TextLink>
            ),
          },
        ]),
  ];
}

export function eventIdFact({ id }: AccountEvent): Fact {
  const text = String(id);
  return { name: t`Event ID`, value: <Copied text={text} label={t`Copy event ID`} /> };
}

export function EventJson({ event, label }: { readonly event: AccountEvent; readonly label: string }) {
  return (
    <BodyBox
      label={label}
      body={JSON.stringify(event)}
      note={<code className="font-mono">{event.type}</code>}
      none=""
    />
  );
}
