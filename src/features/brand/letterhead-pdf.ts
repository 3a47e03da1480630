// A PDF with the operator's letterhead. The built-in fonts only cover Western scripts, so other texts embed DejaVu.
// Invariant: the same texts, letterhead and time give the same bytes.

import { fileURLToPath } from 'node:url';
import type { Translator } from '../../platform/text/translator.ts';
import { accentThemes } from '../../shared/accent-shades.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { Brand } from './brand-store.ts';

export interface Letterhead {
  readonly brand: Brand;
  /** Used if the brand has no letterhead. May be empty. */
  readonly issuer: readonly string[];
}

export const paper = { width: 595, left: 50, right: 545, top: 50, bottom: 780 } as const;
const logoBox = { width: 140, height: 44 } as const;

export interface PutStyle {
  readonly align?: 'left' | 'right';
  readonly size?: number;
  readonly isBold?: boolean;
  readonly color?: string;
}

export interface LetterDocument {
  y: number;
  put(text: string, x: number, width: number, style?: PutStyle): void;
  rule(): void;
  beginPage(): void;
  /** Call on the first page. The text continues below the letterhead. */
  putLetterhead(): void;
  written(): Generator<Buffer>;
  end(): AsyncGenerator<Buffer>;
}

const wideFont = fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'));

export async function openLetterDocument({
  brand,
  issuer,
  translator,
  title,
  createdAt,
}: Letterhead & {
  readonly translator: Translator;
  readonly title: string;
  readonly createdAt: EpochSeconds;
}): Promise<LetterDocument> {
  // Loaded on first use, because pdfkit takes longer to load than the rest of the program.
  const { default: PdfDocument } = await import('pdfkit');
  const lines = letterheadLines({ brand, issuer });
  const document = new PdfDocument({
    autoFirstPage: false,
    size: 'A4',
    margin: 0,
    lang: translator.language,
    info: { Title: title, Author: lines[0] ?? '', CreationDate: new Date(createdAt * 1000) },
  });
  document.registerFont('wide', wideFont);
  const accent = brand.color === null ? '#000000' : accentThemes(brand.color).light.accent;
  let pageNumber = 0;

  const self: LetterDocument = {
    y: 0,
    put(text, x, width, { align = 'left', size = 8.5, isBold = false, color = '#000000' } = {}) {
      const isWestern = /^[\x20-\x7e\xa0-\xff]*$/.test(text);
      document.font(isWestern ? (isBold ? 'Helvetica-Bold' : 'Helvetica') : 'wide').fontSize(size);
      let shown = text;
      if (document.widthOfString(shown) > width) {
        const letters = [...text];
        while (letters.length > 1 && document.widthOfString(`${letters.join('')}...`) > width) letters.pop();
        shown = `${letters.join('')}...`;
      }
      const start = align === 'left' ? x : x + width - document.widthOfString(shown);
      document.fillColor(color).text(shown, start, self.y, { lineBreak: false });
    },
    rule() {
      document.moveTo(paper.left, self.y).lineTo(paper.right, self.y).lineWidth(0.5);
      document.strokeColor('#999999').stroke();
    },
    beginPage() {
      document.addPage();
      pageNumber += 1;
      self.y = 805;
      self.put(title, paper.left, 380, { size: 7.5 });
      const counted = translator.t('page_number', { number: pageNumber });
      self.put(counted, paper.right - 100, 100, { align: 'right', size: 7.5 });
      self.y = paper.top;
    },
    putLetterhead() {
      const { logo } = brand;
      if (logo !== null) {
        const fit: [number, number] = [logoBox.width, logoBox.height];
        document.image(logo.bytes, paper.right - logoBox.width, paper.top, { fit, align: 'right' });
      }
      for (const [index, text] of lines.entries()) {
        const isFirst = index === 0;
        self.put(text, paper.left, 300, {
          size: isFirst ? 11 : 9,
          isBold: isFirst,
          ...(isFirst ? { color: accent } : {}),
        });
        self.y += isFirst ? 15 : 12;
      }
      const least = logo === null ? paper.top + 15 : paper.top + logoBox.height;
      self.y = Math.max(self.y, least) + 25;
    },
    *written() {
      for (let chunk = document.read(); chunk !== null; chunk = document.read()) yield Buffer.from(chunk);
    },
    async *end() {
      document.end();
      for await (const chunk of document) yield Buffer.from(chunk);
    },
  };
  return self;
}

function letterheadLines({ brand, issuer }: Letterhead): readonly string[] {
  if (brand.letterhead.length > 0) return brand.letterhead;
  if (issuer.length > 0) return issuer;
  return brand.name === null ? [] : [brand.name];
}
