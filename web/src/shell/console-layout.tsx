// The administrator's pages. The service refuses everybody else; here they see that there is nothing.

import { Outlet } from '@tanstack/react-router';
import { useMay } from '../api/person.ts';
import { NotFound } from './not-found.tsx';

export function ConsoleLayout() {
  return useMay()('admin:read') ? <Outlet /> : <NotFound />;
}
