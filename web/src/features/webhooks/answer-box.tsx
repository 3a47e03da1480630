import { t } from '@lingui/core/macro';
import { BodyBox } from '../../ui/body-box.tsx';

export function AnswerBox({ answer }: { readonly answer: string }) {
  return (
    <BodyBox
      label={t`Response body`}
      body={answer === '' ? null : answer}
      note={t`First KB of the response`}
      none={t`The response had no body.`}
    />
  );
}
