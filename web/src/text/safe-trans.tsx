// The component behind every <Trans> (web/lingui.config.ts). Lingui looks for the places of elements after it has put the values
// in, so a name such as "<0>" would be taken for one, and "<script>" be lost. Values that are texts are put in as elements.

import { Trans as LinguiTrans, type TransProps } from '@lingui/react';
import { Fragment } from 'react';

export function Trans({ values, ...rest }: TransProps) {
  if (values === undefined) return <LinguiTrans {...rest} />;
  const safe = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'string' ? <Fragment key={name}>{value}</Fragment> : value,
  ]);
  return <LinguiTrans {...rest} values={Object.fromEntries(safe)} />;
}
