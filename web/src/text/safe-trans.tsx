// Replaces Lingui's <Trans> (web/lingui.config.ts), which inserts values before it parses elements, so that a name such as
// "<script>" would be read as an element. This version passes text values as elements, which are not parsed.

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
