// A logo that was read: its bytes, with what pages, mails and PDFs need to know to draw it.

export interface LogoImage {
  readonly type: 'image/png' | 'image/jpeg';
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
}
