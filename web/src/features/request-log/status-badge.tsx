import { Badge } from '../../ui/badge.tsx';

export function StatusBadge({ status }: { readonly status: number }) {
  const tone = status < 400 ? 'good' : status < 500 ? 'warn' : 'bad';
  return (
    <Badge tone={tone}>
      <span className="figures">{status}</span>
    </Badge>
  );
}
