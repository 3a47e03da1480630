import { t } from '@lingui/core/macro';
import { useMe } from '../../api/me.ts';
import { setAutoTopup } from '../../api/payment-commands.ts';
import type { AutoTopup } from '../../api/shapes.ts';
import { formatMoney, readAmount, toCents, typedAmount } from '../../text/amounts.ts';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useText } from '../../ui/use-text.ts';
import { cardWords } from './card-words.ts';

interface AutoTopupDialogProps {
  readonly auto: AutoTopup;
  readonly onClose: () => void;
}

export function AutoTopupDialog({ auto, onClose }: AutoTopupDialogProps) {
  const { topups } = useMe();
  const { currency } = auto;
  const { minimum, maximum } = topups;
  const [below, belowField] = useText(auto.below === null ? '' : typedAmount(auto.below));
  const [each, eachField] = useText(auto.amount === null ? '' : typedAmount(auto.amount));
  const [most, mostField] = useText(auto.monthly_maximum === null ? '' : typedAmount(auto.monthly_maximum));
  const cents = (text: string) => {
    const amount = readAmount(text);
    return amount === null ? 0n : toCents(amount);
  };
  const span = t`From ${formatMoney(minimum, currency)} to ${formatMoney(maximum, currency)}.`;
  const isWithin = cents(each) >= toCents(minimum) && cents(each) <= toCents(maximum);
  const isEnough = cents(most) >= cents(each);
  const form = useDialogForm({
    onClose,
    isDoneOnceRead: true,
    send: () =>
      setAutoTopup({
        below: readAmount(below) ?? '',
        amount: readAmount(each) ?? '',
        monthly_maximum: readAmount(most) ?? '',
      }),
    says: () => t`Automatic top-up is on.`,
  });
  return (
    <FormDialog
      form={form}
      title={t`Automatic top-up`}
      description={t`Charges ${cardWords(auto.card ?? '')}. One payment runs at a time.`}
      action={auto.status === 'on' ? t`Save` : t`Turn on`}
      ready={cents(below) > 0n && isWithin && isEnough}
    >
      <TextField
        label={t`When the balance is below (${currency})`}
        kind="money"
        maxLength={19}
        autoFocus
        placeholder={typedAmount('50.00')}
        {...belowField}
      />
      <TextField
        label={t`Amount added each time (${currency})`}
        kind="money"
        maxLength={19}
        placeholder={typedAmount('200.00')}
        hint={span}
        problem={each.trim() === '' || isWithin ? null : span}
        {...eachField}
      />
      <TextField
        label={t`At most in a month (${currency})`}
        kind="money"
        maxLength={19}
        placeholder={typedAmount('1000.00')}
        problem={most.trim() === '' || isEnough ? null : t`Enter at least the amount of one top-up.`}
        {...mostField}
      />
    </FormDialog>
  );
}
