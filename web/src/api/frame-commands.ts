// Commands of the page frame. Separate from commands.ts, which lists do not load before a dialog opens.

import { call } from './client.ts';

export const signOut = () => call<null>('/sign-out', { method: 'POST', body: {} });
export const setLanguage = (body: { language: 'en' | 'de' | null }) =>
  call<{ readonly language: string | null }>('/language', { method: 'PUT', body });
export const setClock = (body: { clock: 'utc' | null }) =>
  call<{ readonly clock: 'utc' | null }>('/clock', { method: 'PUT', body });
