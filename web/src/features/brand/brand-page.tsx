// Edits the brand (name, logo, color, letterhead, support address) with previews in light and dark mode.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { accentThemes, productColor } from '../../../../src/shared/accent-shades.ts';
import { base64Of } from '../../api/base64.ts';
import { setBrand, setBrandLogo } from '../../api/commands.ts';
import { brandQuery } from '../../api/console-queries.ts';
import type { Brand } from '../../api/shapes.ts';
import { languages } from '../../text/language.ts';
import { keepServiceName } from '../../text/service-name.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { useConfirmedCommand } from '../../ui/confirmed-command.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Field, inputClasses, SelectField, TextField } from '../../ui/field.tsx';
import { FileButton } from '../../ui/file-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { say } from '../../ui/toasts.tsx';
import { useUnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { useText } from '../../ui/use-text.ts';
import { showBrandColors } from './brand-colors.ts';
import { BrandPreviews } from './brand-previews.tsx';
import { logoPlate } from './logo.tsx';

const sendBrand = (body: Omit<Brand, 'logo'>, password: string | undefined) =>
  setBrand({ ...body, current_password: password });
const sendLogo = (data: string | null, password: string | undefined) =>
  setBrandLogo(data, { current_password: password });

export function BrandPage() {
  const { data, error, refetch } = useQuery(brandQuery);
  return (
    <>
      <PageHeader
        title={t`Brand`}
        description={t`Shown on the panel, customer pages, emails and documents.`}
      />
      {error === null ? null : <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined ? null : <BrandForm brand={data.brand} />}
    </>
  );
}

const languageWords = { en: t`English`, de: t`German` } as const;

function BrandForm({ brand }: { readonly brand: Brand }) {
  const [name, setName] = useState(brand.name ?? '');
  const [color, setColor] = useState(brand.colour ?? '');
  const [letterhead, setLetterhead] = useState(brand.letterhead.join('\n'));
  const [support, supportField] = useText(brand.support_address ?? '');
  const [language, setLanguage] = useState(brand.language);
  const [saved, setSaved] = useState(brand);
  const command = useConfirmedCommand(sendBrand, {
    action: t`Save`,
    onDone: (answer) => {
      setSaved(answer.brand);
      showBrandColors();
      keepServiceName(answer.brand.name);
      say(t`Saved.`);
    },
  });
  const isColor = /^#[0-9a-f]{6}$/i.test(color);
  const lines = letterhead
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const wanted = {
    name: name.trim() || null,
    colour: color.toLowerCase() || null,
    letterhead: lines,
    support_address: support.trim() || null,
    language,
  };
  const isChanged = JSON.stringify(wanted) !== JSON.stringify(settingsOf(saved));
  const guard = useUnsavedGuard(isChanged);
  return (
    <div className="grid items-start gap-5 xl:grid-cols-2">
      {guard}
      {command.dialog}
      <div className="flex min-w-0 flex-col gap-5">
        <Card title={t`Name and color`}>
          <form
            noValidate
            className="flex flex-col gap-4"
            onSubmit={(event) => {
              event.preventDefault();
              command.mutate(wanted);
            }}
          >
            <TextField label={t`Name`} value={name} onText={setName} maxLength={60} />
            <Field
              label={t`Color`}
              hint={t`A hex color such as #0f766e. Leave blank for the default.`}
              problem={color === '' || isColor ? null : t`Enter # and six hex digits, such as #0f766e`}
            >
              {(wiring) => (
                <div className="flex gap-2">
                  <input
                    {...wiring}
                    value={color}
                    onChange={(event) => setColor(event.target.value.trim())}
                    className={inputClasses}
                  />
                  <input
                    type="color"
                    aria-label={t`Pick a color`}
                    value={isColor ? color : productColor}
                    onChange={(event) => setColor(event.target.value)}
                    className="h-9 w-12 shrink-0 cursor-pointer rounded-control border border-edge bg-card p-1 pointer-coarse:h-11"
                  />
                </div>
              )}
            </Field>
            {isColor ? <Warnings color={color} /> : null}
            <Field
              label={t`Letterhead`}
              hint={t`Name and address printed on statements and receipts, up to eight lines.`}
            >
              {(wiring) => (
                <textarea
                  {...wiring}
                  rows={4}
                  value={letterhead}
                  onChange={(event) => setLetterhead(event.target.value)}
                  className={inputClasses}
                />
              )}
            </Field>
            <TextField
              label={t`Support email`}
              hint={t`Shown to customers and used as the reply-to address.`}
              {...supportField}
              type="email"
            />
            <SelectField
              label={t`Default language`}
              value={language}
              onValue={setLanguage}
              options={languages.map((each) => ({ value: each, title: languageWords[each] }))}
            />
            {command.error === null ? null : <ErrorNotice error={command.error} />}
            <div>
              <Button
                type="submit"
                look="primary"
                disabled={!isChanged || command.isPending || (color !== '' && !isColor)}
              >
                {t`Save`}
              </Button>
            </div>
          </form>
        </Card>
        <LogoCard brand={brand} />
      </div>
      <Card
        title={t`Preview`}
        description={t`See how it looks before you save. Colors are adjusted for contrast.`}
      >
        <BrandPreviews
          name={name.trim()}
          color={isColor ? color : null}
          logo={brand.logo}
          support={support.trim()}
        />
      </Card>
    </div>
  );
}

function settingsOf({ name, colour, letterhead, support_address, language }: Brand) {
  return { name, colour, letterhead, support_address, language };
}

function Warnings({ color }: { readonly color: string }) {
  const { light, dark, isMoved } = accentThemes(color);
  return (
    <>
      {isMoved.light ? (
        <Notice tone="warn">{t`Too light for light mode; shown as ${light.accent} there.`}</Notice>
      ) : null}
      {isMoved.dark ? (
        <Notice tone="info">{t`Too dark for dark mode; shown as ${dark.accent} there.`}</Notice>
      ) : null}
    </>
  );
}

function LogoCard({ brand }: { readonly brand: Brand }) {
  const command = useConfirmedCommand(sendLogo, {
    action: t`Save`,
    onDone: ({ brand: saved }) => say(saved.logo === null ? t`Logo removed.` : t`Logo updated.`),
  });
  const { logo } = brand;
  return (
    <Card title={t`Logo`} description={t`PNG or JPEG, up to 256 KB.`}>
      <div className="flex flex-col items-start gap-3">
        {logo === null ? (
          <p className="text-soft">{t`No logo yet`}</p>
        ) : (
          <img
            src={logo.url}
            alt={t`Current logo`}
            className={`max-h-16 max-w-full object-contain ${logoPlate}`}
          />
        )}
        <FileButton
          label={t`Choose file`}
          accept="image/png,image/jpeg"
          disabled={command.isPending}
          onFile={(file) => void base64Of(file).then(command.mutate)}
        />
        {command.error === null ? null : <ErrorNotice error={command.error} />}
        {command.dialog}
        {logo === null ? null : (
          <Button onClick={() => command.mutate(null)} disabled={command.isPending}>
            {t`Remove logo`}
          </Button>
        )}
      </div>
    </Card>
  );
}
