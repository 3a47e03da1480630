// The first KiB of an endpoint's answer.

import { t } from '@lingui/core/macro';
import { BodyBox } from '../../ui/body-box.tsx';

export function AnswerBox({ answer }: { readonly answer: string }) {
  return (
    <BodyBox
      label={t`Body of the answer`}
      body={answer === '' ? null : answer}
      note={t`The first KiB of the answer`}
      none={t`The answer had no body.`}
    />
  );
}
