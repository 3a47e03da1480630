// The administrator's pages. The service refuses everybody else; here they see that there is nothing.

import { Outlet } from '@tanstack/react-router';
import { useMe } from '../api/me.ts';
import { NotFound } from './not-found.tsx';

export function ConsoleLayout() {
  return useMe().account.is_admin ? <Outlet /> : <NotFound />;
}
