import type { LimitDefinition } from '../../shared/limits.ts';
import type { LimitView } from './limit-schemas.ts';

export function limitView({ key, name, kind, unit, position, hidden }: LimitDefinition): LimitView {
  return { key, name: { ...name }, kind, ...(unit !== null && { unit: { ...unit } }), position, hidden };
}
