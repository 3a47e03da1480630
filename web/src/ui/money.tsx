import { formatMoney } from '../text/amounts.ts';
import { classNames } from './class-names.ts';

interface MoneyProps {
  readonly amount: string;
  readonly currency: string;
  readonly signed?: boolean;
  readonly className?: string;
}

export function Money({ amount, currency, signed = false, className }: MoneyProps) {
  const isIncome = signed && !amount.startsWith('-') && !/^0+\.?0*$/.test(amount);
  return (
    <span className={classNames('figures whitespace-nowrap', isIncome && 'text-good', className)}>
      {formatMoney(amount, currency, signed)}
    </span>
  );
}
