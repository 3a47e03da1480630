// What a mail says, as plain text and as simple HTML: no tables, no images, nothing loaded from elsewhere, and no colours
// but those that a mail program sets itself, so that it is as readable where everything is dark. Called by queueMail.
// Always true: whatever a name holds, it is text: it ends no header and opens no tag.

import { html, type Markup } from '../../contract/markup.ts';

export interface MailContent {
  readonly subject: string;
  readonly parts: readonly MailPart[];
}

export type MailPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'facts'; readonly facts: readonly (readonly [name: string, value: string])[] }
  /** `url` is one of ours. */
  | { readonly type: 'link'; readonly label: string; readonly url: string };

export interface MailEnding {
  /** Who writes. */
  readonly issuer: string;
  /** null: a mail that nobody can be without. */
  readonly unsubscribeUrl: string | null;
}

export interface WrittenMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export function writeMail(
  { subject, parts }: MailContent,
  { issuer, unsubscribeUrl }: MailEnding,
): WrittenMail {
  const ending = { issuer: oneLine(issuer), unsubscribeUrl };
  const plain = parts.map(plainPart);
  return {
    subject: shortened(oneLine(subject), subjectLengthMax),
    text: asText(plain, ending),
    html: asHtml(oneLine(subject), plain, ending).text,
  };
}

const subjectLengthMax = 150;
const valueLengthMax = 500;

/** Without what would begin a line, turn the direction of the text around, or be no Unicode; and no longer than it may be. */
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

function asText(parts: readonly MailPart[], { issuer, unsubscribeUrl }: MailEnding): string {
  const written = parts.map((part) => {
    if (part.type === 'text') return part.text;
    if (part.type === 'link') return `${part.label}:\n${part.url}`;
    return part.facts.map(([name, value]) => `${name}: ${value}`).join('\n');
  });
  const end = unsubscribeUrl === null ? [] : [`No more mail of this kind:\n${unsubscribeUrl}`];
  return `${[...written, `-- \n${issuer}`, ...end].join('\n\n')}\n`;
}

const styles = {
  body: 'margin:0;padding:24px 16px;font-family:system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;font-size:16px;line-height:1.5',
  card: 'max-width:560px;margin:0 auto',
  heading: 'margin:0 0 16px;font-size:20px;line-height:1.3',
  text: 'margin:0 0 16px',
  link: 'display:inline-block;padding:10px 18px;border:1px solid;border-radius:8px;font-weight:700;text-decoration:none',
  end: 'margin:32px 0 0;padding-top:16px;border-top:1px solid;font-size:13px;opacity:.75',
} as const;

function asHtml(title: string, parts: readonly MailPart[], { issuer, unsubscribeUrl }: MailEnding): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${title}</title>
</head>
<body style="${styles.body}">
<div style="${styles.card}">
<h1 dir="auto" style="${styles.heading}">${title}</h1>
${parts.map(partAsHtml)}<p dir="auto" style="${styles.end}">${issuer}${
    unsubscribeUrl === null
      ? html``
      : html`<br><a href="${unsubscribeUrl}" style="color:inherit">No more mail of this kind</a>`
  }</p>
</div>
</body>
</html>
`;
}

function partAsHtml(part: MailPart): Markup {
  if (part.type === 'text') return html`<p dir="auto" style="${styles.text}">${part.text}</p>\n`;
  if (part.type === 'link')
    return html`<p style="${styles.text}"><a href="${part.url}" style="${styles.link}">${part.label}</a></p>\n`;
  const lines = part.facts.map(
    ([name, value], index) =>
      html`${index === 0 ? html`` : html`<br>`}<strong>${name}:</strong> <bdi>${value}</bdi>`,
  );
  return html`<p style="${styles.text}">${lines}</p>\n`;
}
