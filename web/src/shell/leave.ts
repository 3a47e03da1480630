// Signing out: the session ends, and nothing that was read stays in this browser's memory.

import type { QueryClient } from '@tanstack/react-query';
import { signOut } from '../api/commands.ts';
import { say } from '../ui/toasts.tsx';

export async function leave(client: QueryClient): Promise<void> {
  try {
    await signOut();
  } catch {
    say('Signing out failed. Try again.');
    return;
  }
  client.clear();
  window.location.assign(`${import.meta.env.BASE_URL}sign-in`);
}
