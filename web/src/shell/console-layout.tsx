// The console's layout. Others see "not found"; the service refuses them anyway.

import { Outlet } from '@tanstack/react-router';
import { useMay } from '../api/person.ts';
import { NotFound } from './not-found.tsx';

export function ConsoleLayout() {
  return useMay()('admin:read') ? <Outlet /> : <NotFound />;
}
