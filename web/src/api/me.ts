import { createContext, useContext } from 'react';
import type { Me } from './shapes.ts';

export const MeContext = createContext<Me | null>(null);

export function useMe(): Me {
  const me = useContext(MeContext);
  if (me === null) throw new Error('This page stands outside the panel.');
  return me;
}
