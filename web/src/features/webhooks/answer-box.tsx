// What an endpoint answered: the first KiB of it.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { BodyBox } from '../../ui/body-box.tsx';

export function AnswerBox({ answer }: { readonly answer: string }) {
  return (
    <BodyBox
      label={t`Body of the answer`}
      body={answer === '' ? null : answer}
      note={<Trans>The first KiB of the answer</Trans>}
      none={t`The answer had no body.`}
    />
  );
}
