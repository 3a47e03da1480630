// The console's layout. People who are not operators see "not found"; the service refuses their requests anyway.

import { Outlet } from '@tanstack/react-router';
import { useMay } from '../api/person.ts';
import { NotFound } from './not-found.tsx';

export function ConsoleLayout() {
  return useMay()('admin:read') ? <Outlet /> : <NotFound />;
}
