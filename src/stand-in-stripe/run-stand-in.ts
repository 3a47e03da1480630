// The stand-in as a program: `node src/stand-in-stripe/run-stand-in.ts --port 12111 --webhook URL --secret whsec_…`.
// With several `--webhook`, deliveries take turns; with several `--secret`, each signs.

import { parseArgs } from 'node:util';
import { startStandInStripe } from './stand-in-stripe.ts';

const { values } = parseArgs({
  options: {
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '12111' },
    shop: { type: 'string', default: 'Test shop' },
    webhook: { type: 'string', multiple: true, default: [] },
    secret: { type: 'string', multiple: true, default: ['whsec_stand_in'] },
    'settle-seconds': { type: 'string', default: '10' },
  },
});
const standIn = await startStandInStripe({
  ...{ host: values.host, port: Number(values.port), shopName: values.shop },
  endpoints: values.webhook.length === 0 ? [] : [{ urls: values.webhook, secrets: values.secret }],
  settleMilliseconds: Number(values['settle-seconds']) * 1000,
});
process.stderr.write(`The stand-in for Stripe listens on ${standIn.url}. No money moves.\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void standIn.stop());
