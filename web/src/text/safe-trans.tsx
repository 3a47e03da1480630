// Replaces Lingui's <Trans> (web/lingui.config.ts), which parses elements after inserting values, so that a name such as
// "<0>" or "<script>" would be misread. Text values are inserted as elements.

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
