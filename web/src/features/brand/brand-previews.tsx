// Previews of an unsaved brand. They imitate brand/logo.tsx, brand/page-layout.ts and mail/mail-content.ts.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { CSSProperties, ReactNode } from 'react';
import { type AccentShades, accentThemes, productColor } from '../../../../src/shared/accent-shades.ts';
import type { Brand } from '../../api/shapes.ts';
import { ownName } from '../../text/service-name.ts';
import { classNames } from '../../ui/class-names.ts';
import { Mark } from './logo.tsx';

interface Face {
  readonly name: string;
  /** null uses the product's own color. */
  readonly color: string | null;
  readonly logo: Brand['logo'];
  readonly support: string;
}

/** The colors of styles.css. `plate` is the background behind a logo. */
const surfaces = {
  light: {
    page: '#f6f7f9',
    card: '#ffffff',
    fill: '#eff1f4',
    line: '#dfe1e6',
    ink: '#1c2024',
    soft: '#5b5f67',
    plate: 'transparent',
  },
  dark: {
    page: '#111214',
    card: '#1b1c1f',
    fill: '#26282c',
    line: '#33353a',
    ink: '#edeef0',
    soft: '#b0b4ba',
    plate: '#ffffff',
  },
} as const;

export function BrandPreviews(face: Face) {
  const themes = accentThemes(face.color ?? productColor);
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Preview title={t`Light`} theme="light" shades={themes.light} face={face} />
      <Preview title={t`Dark`} theme="dark" shades={themes.dark} face={face} />
    </div>
  );
}

interface PreviewProps {
  readonly title: string;
  readonly theme: 'light' | 'dark';
  readonly shades: AccentShades;
  readonly face: Face;
}

function Preview({ title, theme, shades: { accent, accentFill, onAccent }, face }: PreviewProps) {
  const named = { ...surfaces[theme], accent, 'accent-fill': accentFill, 'on-accent': onAccent };
  const style: CSSProperties = Object.fromEntries(
    Object.entries(named).map(([name, value]) => [`--${name}`, value]),
  );
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1 text-xs text-soft">{title}</figcaption>
      <div
        className="flex flex-col gap-4 rounded-card border border-line bg-page p-3 text-xs text-ink forced-color-adjust-none"
        style={style}
      >
        <Part title={t`Panel`}>
          <PanelPart {...face} />
        </Part>
        <Part title={t`Customer’s page`}>
          <CustomerPart {...face} />
        </Part>
        <Part title={t`Email`}>
          <MailPart {...face} />
        </Part>
      </div>
    </figure>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <p className="mb-1 text-soft">{title}</p>
      {children}
    </div>
  );
}

function PanelPart({ name, logo }: Face) {
  const shown = name || ownName;
  return (
    <div className="overflow-clip rounded-control border border-line">
      <div className="flex min-w-0 items-center gap-2 border-b border-line bg-card p-2 font-semibold">
        {logo === null ? <Mark name={shown} /> : <LogoPicture logo={logo} className="h-6" />}
        <bdi className="truncate">{shown}</bdi>
      </div>
      <div className="flex flex-wrap items-center gap-2 p-2">
        <span className="rounded-control bg-accent-fill px-2 py-1 font-medium text-accent">{t`Orders`}</span>
        <span className="py-1 text-accent underline">{t`Customers`}</span>
        <span className="rounded-control bg-accent px-2 py-1 font-medium text-on-accent">
          {t`Place an order`}
        </span>
      </div>
    </div>
  );
}

interface LogoPictureProps {
  readonly logo: NonNullable<Brand['logo']>;
  readonly className: string;
}

function LogoPicture({ logo, className }: LogoPictureProps) {
  return (
    <img
      src={logo.url}
      alt=""
      className={classNames('max-w-1/2 shrink-0 rounded p-0.5 object-contain', className)}
      style={{ background: 'var(--plate)' }}
    />
  );
}

function CustomerPart({ name, logo, support }: Face) {
  return (
    <div className="flex flex-col items-center gap-2">
      {name === '' && logo === null ? null : (
        <div className="flex max-w-full min-w-0 items-center gap-2 font-semibold">
          {logo === null ? null : <LogoPicture logo={logo} className="max-h-8" />}
          {name === '' ? null : <bdi className="truncate">{name}</bdi>}
        </div>
      )}
      <div className="w-full rounded-control border border-line bg-card p-2.5">
        <p className="mb-1 text-sm font-semibold">{t`Plan`}</p>
        <div className="mb-2.5 h-1.5 overflow-clip rounded-full bg-fill">
          <div className="h-full w-3/5 bg-accent" />
        </div>
        <span className="inline-block rounded-control bg-accent px-2 py-1 font-medium text-on-accent">
          {t`Continue`}
        </span>
      </div>
      {support === '' ? null : (
        <p className="max-w-full truncate text-soft">
          <Trans>Support: {support}</Trans>
        </p>
      )}
    </div>
  );
}

/** A mail uses color only if the brand has one. */
function MailPart({ name, color, logo, support }: Face) {
  const shown = name || ownName;
  return (
    <div className="rounded-control border border-line bg-card p-2.5">
      {logo === null && color === null ? null : (
        <div
          className={`mb-2 flex min-w-0 items-center gap-2 border-b pb-2 font-bold ${color === null ? 'border-ink' : 'border-b-2 border-accent'}`}
        >
          {logo === null ? null : <LogoPicture logo={logo} className="max-h-7" />}
          <bdi className="truncate">{shown}</bdi>
        </div>
      )}
      <p className="mb-1.5 text-sm font-semibold">{t`New password`}</p>
      <span
        className={`mb-2 inline-block rounded-control border px-2 py-1 font-bold ${color === null ? 'border-ink' : 'border-transparent bg-accent text-on-accent'}`}
      >
        {t`Choose a new password`}
      </span>
      <p className="truncate border-t border-line pt-1.5 text-soft">
        <bdi>{shown}</bdi>
      </p>
      {support === '' ? null : (
        <p className="truncate text-soft">
          <Trans>Support: {support}</Trans>
        </p>
      )}
    </div>
  );
}
