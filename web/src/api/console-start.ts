// Where the console begins: at the steps that are not done yet, otherwise at the business.

import type { QueryClient } from '@tanstack/react-query';
import { ApiError } from './client.ts';
import { reading } from './queries.ts';
import type * as Api from './shapes.ts';

export const setupQuery = reading<Api.Setup>('/admin/setup');

export function consoleStart(client: QueryClient): Promise<'/admin' | '/admin/start'> {
  return client.fetchQuery(setupQuery).then(
    ({ steps }) => (steps.some(({ state }) => state === 'open') ? '/admin/start' : '/admin'),
    // At the first sign-in nothing can be read before a password is chosen.
    (error) =>
      error instanceof ApiError && error.code === 'password_change_required' ? '/admin/start' : '/admin',
  );
}
