// Samples that verify a delivery, in four languages. They are taken from docs/webhooks.md, where tests run them.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import guide from '../../../../docs/webhooks.md?raw';
import { BodyBox } from '../../ui/body-box.tsx';
import { Choice } from '../../ui/choice.tsx';

const snippets = [...guide.matchAll(/<summary>(\w+)<\/summary>\s+```\w+\n([\s\S]*?)```\n/g)].map(
  ([, language = '', code = '']) => ({ value: language, title: language, code: code.trimEnd() }),
);

export function VerifySnippet() {
  const [language, setLanguage] = useState('TypeScript');
  const code = snippets.find(({ value }) => value === language)?.code ?? '';
  return (
    <section className="space-y-2">
      <h3 className="text-[0.9375rem]">{t`Verify signatures`}</h3>
      <Choice label={t`Language`} value={language} options={snippets} onChoose={setLanguage} />
      <BodyBox
        label={t`Sample code`}
        body={code}
        note={<code className="font-mono">SELLTHROUGH_WEBHOOK_SECRET</code>}
        none=""
      />
      <p className="text-xs text-soft">
        <Trans>
          Reads the secret from the environment. See the{' '}
          <a className="underline underline-offset-2" href="/docs/webhooks" target="_blank" rel="noreferrer">
            webhooks guide
          </a>{' '}
          for details.
        </Trans>
      </p>
    </section>
  );
}
