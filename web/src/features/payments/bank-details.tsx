import { t } from '@lingui/core/macro';
import type { Topup } from '../../api/shapes.ts';
import { formatMoney, typedAmount } from '../../text/amounts.ts';
import { inFours } from '../../text/in-fours.ts';
import { Copied } from '../../ui/copied.tsx';
import { Facts } from '../../ui/facts.tsx';
import { QrCode } from '../../ui/qr-code.tsx';

interface BankDetailsProps {
  readonly bank: NonNullable<Topup['bank']>;
  readonly topup: Topup;
}

export function BankDetails({ bank: { holder, iban, bic, reference, qr }, topup }: BankDetailsProps) {
  const { total, currency } = topup;
  return (
    <div className="flex flex-col gap-5 sm:flex-row sm:items-start">
      <div className="min-w-0 flex-1">
        <Facts
          facts={[
            { name: t`Recipient`, value: <Copied text={holder} label={t`Copy recipient`} isName /> },
            {
              name: t`IBAN`,
              value: <Copied text={iban} shown={inFours(iban)} label={t`Copy IBAN`} />,
            },
            ...(bic === null ? [] : [{ name: t`BIC`, value: <Copied text={bic} label={t`Copy BIC`} /> }]),
            {
              name: t`Payment reference`,
              value: <Copied text={reference} shown={inFours(reference)} label={t`Copy payment reference`} />,
            },
            {
              name: t`Amount`,
              value: (
                <Copied
                  text={typedAmount(total)}
                  shown={formatMoney(total, currency)}
                  label={t`Copy amount`}
                  isName
                />
              ),
            },
          ]}
        />
        <p className="mt-3 text-soft">
          {t`Always give the payment reference. It is the same for all your transfers and says that the money is yours.`}
        </p>
      </div>
      {qr === null ? null : (
        <figure className="flex shrink-0 flex-col items-center gap-1.5">
          <QrCode text={qr} label={t`QR code with the bank details`} />
          <figcaption className="text-xs text-soft">{t`Scan it with your banking app.`}</figcaption>
        </figure>
      )}
    </div>
  );
}
