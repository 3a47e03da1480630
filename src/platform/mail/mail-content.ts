// Renders a mail as text and simple HTML in the recipient's language with the operator's brand. The logo is attached, so
// that the mail loads nothing from the network.
// Invariant: a value is text; it can neither end a header nor open a tag.

import { type AccentShades, accentThemes } from '../../shared/accent-shades.ts';
import type { LogoImage } from '../../shared/logo-image.ts';
import { html, type Markup } from '../../shared/markup.ts';
import type { Translator } from '../text/translator.ts';

export interface MailContent {
  readonly subject: string;
  readonly parts: readonly MailPart[];
}

export type MailPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'facts'; readonly facts: readonly (readonly [name: string, value: string])[] }
  /** `url` must be an address of this service. */
  | { readonly type: 'link'; readonly label: string; readonly url: string };

export interface MailFace {
  readonly issuer: string;
  /** "#1d4ed8"; null: the mail program's own. */
  readonly color: string | null;
  readonly logo: (LogoImage & { readonly etag: string }) | null;
  /** The address for replies; null: the sender's. */
  readonly supportAddress: string | null;
}

export interface MailLook {
  readonly face: MailFace;
  readonly translator: Translator;
  readonly unsubscribeUrl: string | null;
}

export interface WrittenMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export function writeMail({ subject, parts }: MailContent, look: MailLook): WrittenMail {
  const { face } = look;
  const named = { ...look, face: { ...face, issuer: oneLine(face.issuer) } };
  const plain = parts.map(plainPart);
  return {
    subject: subjectOf(subject),
    text: asText(plain, named),
    html: asHtml(oneLine(subject), plain, named).text,
  };
}

const subjectLengthMax = 150;
const valueLengthMax = 500;

export function subjectOf(subject: string): string {
  return shortened(oneLine(subject), subjectLengthMax);
}

/** Removes line breaks, bidi controls and invalid Unicode, and limits the length. */
function plainPart(part: MailPart): MailPart {
  if (part.type === 'link') return part;
  if (part.type === 'text') return { ...part, text: oneLine(part.text) };
  const facts = part.facts.map(
    ([name, value]) => [oneLine(name), shortened(oneLine(value), valueLengthMax)] as const,
  );
  return { ...part, facts };
}

export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim();
}

function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;
}

function asText(parts: readonly MailPart[], { face, translator, unsubscribeUrl }: MailLook): string {
  const { t } = translator;
  const written = parts.map((part) => {
    if (part.type === 'text') return part.text;
    if (part.type === 'link') return `${part.label}:\n${part.url}`;
    return part.facts.map(([name, value]) => `${name}: ${value}`).join('\n');
  });
  const help = face.supportAddress === null ? '' : `\n${t('help', { address: face.supportAddress })}`;
  const end = unsubscribeUrl === null ? [] : [`${t('mail_end')}:\n${unsubscribeUrl}`];
  return `${[...written, `-- \n${face.issuer}${help}`, ...end].join('\n\n')}\n`;
}

const styles = {
  body: 'margin:0;padding:24px 16px;font-family:system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;font-size:16px;line-height:1.5',
  card: 'max-width:560px;margin:0 auto',
  operator: 'margin:0 0 24px;padding:0 0 12px;border-bottom:1px solid;font-weight:700',
  // A logo is made for light pages, so it keeps its background in dark mode.
  logo: 'vertical-align:middle;margin:0 10px 0 0;padding:4px;border-radius:6px;background:#ffffff',
  heading: 'margin:0 0 16px;font-size:20px;line-height:1.3',
  text: 'margin:0 0 16px;overflow-wrap:anywhere',
  link: 'display:inline-block;padding:10px 18px;border:1px solid;border-radius:8px;font-weight:700;text-decoration:none',
  end: 'margin:32px 0 0;padding-top:16px;border-top:1px solid;font-size:13px;opacity:.75',
} as const;

function asHtml(title: string, parts: readonly MailPart[], look: MailLook): Markup {
  const { face, translator, unsubscribeUrl } = look;
  const { t, language } = translator;
  const shades = face.color === null ? null : accentThemes(face.color);
  const help =
    face.supportAddress === null ? html`` : html`<br>${t('help', { address: face.supportAddress })}`;
  const end =
    unsubscribeUrl === null
      ? html``
      : html`<br><a href="${unsubscribeUrl}" style="color:inherit">${t('mail_end')}</a>`;
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${title}</title>
${shades === null ? html`` : darkStyles(shades.dark)}</head>
<body style="${styles.body}">
<div style="${styles.card}">
${operator(face, shades?.light ?? null)}<h1 dir="auto" style="${styles.heading}">${title}</h1>
${parts.map((part) => partAsHtml(part, shades?.light ?? null))}<p dir="auto" style="${styles.end}">${face.issuer}${help}${end}</p>
</div>
</body>
</html>
`;
}

function darkStyles({ accent, onAccent }: AccentShades): Markup {
  return html`<style>
@media (prefers-color-scheme: dark) {
.operator { border-color: ${accent} !important; }
.link { background: ${accent} !important; border-color: ${accent} !important; color: ${onAccent} !important; }
}
</style>
`;
}

const logoBox = { width: 160, height: 32 } as const;

/** The heading appears only with a logo or color; the footer names the sender anyway. */
function operator({ issuer, logo, color }: MailFace, shades: AccentShades | null): Markup {
  if (logo === null && color === null) return html``;
  const line = shades === null ? '' : `;border-bottom:3px solid ${shades.accent}`;
  return html`<p class="operator" style="${styles.operator}${line}">${logo === null ? html`` : image(logo)}<bdi>${issuer}</bdi></p>\n`;
}

/** The size is also given as attributes, because some mail programs know only those. */
function image(logo: LogoImage & { readonly etag: string }): Markup {
  const scale = Math.min(1, logoBox.width / logo.width, logoBox.height / logo.height);
  const [width, height] = [logo.width, logo.height].map((side) => Math.max(1, Math.round(side * scale)));
  return html`<img src="cid:${logoContentId(logo)}" alt="" width="${width ?? 1}" height="${height ?? 1}" style="${styles.logo}">`;
}

/** Changes with the image, because mail programs cache images by this id. */
export function logoContentId({ etag }: { readonly etag: string }): string {
  return `logo-${etag.replace(/[^\w-]/g, '')}@brand`;
}

function partAsHtml(part: MailPart, shades: AccentShades | null): Markup {
  if (part.type === 'text') return html`<p dir="auto" style="${styles.text}">${part.text}</p>\n`;
  if (part.type === 'link') {
    const fill =
      shades === null
        ? ''
        : `;background:${shades.accent};border-color:${shades.accent};color:${shades.onAccent}`;
    return html`<p style="${styles.text}"><a class="link" href="${part.url}" style="${styles.link}${fill}">${part.label}</a></p>\n`;
  }
  const lines = part.facts.map(
    ([name, value], index) =>
      html`${index === 0 ? html`` : html`<br>`}<strong>${name}:</strong> <bdi>${value}</bdi>`,
  );
  return html`<p style="${styles.text}">${lines}</p>\n`;
}
