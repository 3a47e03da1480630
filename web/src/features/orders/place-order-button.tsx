import { t } from '@lingui/core/macro';
import { Plus } from 'lucide-react';
import { useMay } from '../../api/person.ts';
import { Button } from '../../ui/button.tsx';

export function PlaceOrderButton({ onClick }: { readonly onClick: () => void }) {
  if (!useMay()('orders:write')) return null;
  return (
    <Button icon={Plus} look="primary" onClick={onClick}>
      {t`Place an order`}
    </Button>
  );
}
