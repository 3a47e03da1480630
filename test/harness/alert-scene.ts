// A service with a mail server and accounts that get alerts by mail. Tests read the mails in order.

import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { confirmAddresses } from './confirm-addresses.ts';
import { type ReceivedMail, startMailServer } from './mail-server.ts';
import { expectStatus } from './refusals.ts';
import { onlyJobs, runJob } from './run-job.ts';

export interface AlertScene {
  readonly service: TestService;
  arrived(): Promise<readonly ReceivedMail[]>;
  mailed(): Promise<readonly { to: string; subject: string; text: string; raw: string }[]>;
  listening(alerts: object, money?: string): Promise<TestAccount>;
  close(): Promise<void>;
}

export async function startAlertScene(environment: Record<string, string> = {}): Promise<AlertScene> {
  const mailServer = await startMailServer();
  const service = await startTestService({
    environment: {
      PUBLIC_URL: 'https://resell.example.com',
      SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`,
      MAIL_FROM: 'Example Ltd <billing@example.com>',
      ...environment,
    },
    limits: { scheduledJobs: onlyJobs('alertMails', 'mail', 'autoTopups', 'payments') },
  });

  async function arrived(): Promise<readonly ReceivedMail[]> {
    for (const kind of ['alert_mails', 'mail']) await runJob(service, kind);
    return mailServer.take();
  }

  return {
    service,
    arrived,
    async mailed() {
      return (await arrived()).map(({ to, raw, parsed }) => ({
        to,
        raw,
        subject: parsed.subject ?? '',
        text: parsed.text ?? '',
      }));
    },
    async listening(alerts, money = '100.00') {
      const account = await service.createReseller({ credit: money });
      expectStatus(await account.send('PUT', '/alerts', alerts), 200);
      await confirmAddresses(service, await arrived());
      return account;
    },
    async close() {
      await service.close();
      await mailServer.close();
    },
  };
}
