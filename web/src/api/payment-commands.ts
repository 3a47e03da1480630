// Changes of top-ups and payments that few pages make. Separate from commands.ts, which every page loads.

import { call } from './client.ts';
import type * as Api from './shapes.ts';

type Password = { readonly current_password: string | undefined };

const send = <Answer>(
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  body: object,
  idempotencyKey?: string,
) => call<Answer>(path, { method, body, ...(idempotencyKey !== undefined && { idempotencyKey }) });

export const refundTopup = (
  id: number,
  body: { amount: string; reason?: string; allow_receivable: boolean } & Password,
  idempotencyKey: string,
) => send<Api.RefundedTopup>('POST', `/admin/v1/topups/${id}/refunds`, body, idempotencyKey);

export const dismissProblem = (id: number, note: string, idempotencyKey: string) =>
  send<{ readonly problem: Api.PaymentProblem }>(
    'POST',
    `/admin/v1/payment-problems/${id}/dismiss`,
    { note },
    idempotencyKey,
  );

export type CsvColumns = { readonly date: string; readonly amount: string } & {
  readonly [name in 'text' | 'reference' | 'payer' | 'iban' | 'id' | 'currency' | 'direction']?: string;
};

export const importBankStatement = (body: { file: string; csv?: { columns: CsvColumns } } & Password) =>
  send<{ readonly lines: Api.ImportedLines }>('POST', '/admin/v1/bank-statements', body);

export const assignBankLine = (id: number, body: { account_id: number } & Password) =>
  send<{ readonly line: Api.BankLine }>('POST', `/admin/v1/bank-lines/${id}/assign`, body);

export const ignoreBankLine = (id: number, note: string) =>
  send<{ readonly line: Api.BankLine }>(
    'POST',
    `/admin/v1/bank-lines/${id}/ignore`,
    note === '' ? {} : { note },
  );

export const setAutoTopup = (body: { below: string; amount: string; monthly_maximum: string }) =>
  send<{ readonly auto_topup: Api.AutoTopup }>('PUT', '/v1/auto-topup', body);

export const removeAutoTopup = () =>
  send<{ readonly auto_topup: Api.AutoTopup }>('DELETE', '/v1/auto-topup', {});

export const setUpCard = (returnUrl: string) =>
  send<{ readonly setup_url: string }>('POST', '/v1/auto-topup/card', { return_url: returnUrl });
