import type { BrandView } from './brand-schemas.ts';
import type { Brand } from './brand-store.ts';

export const logoPath = '/brand/logo';
export const brandStylesheetPath = '/brand/brand.css';
export const brandIconPath = '/brand/icon.svg';

/** The logo's URL contains the version, so that browsers fetch a new logo. */
export function brandView(brand: Brand): BrandView {
  const { name, color, letterhead, supportAddress, language, logo } = brand;
  return {
    name,
    colour: color,
    letterhead: [...letterhead],
    support_address: supportAddress,
    language,
    logo:
      logo === null
        ? null
        : { url: logoAddress(brand), type: logo.type, width: logo.width, height: logo.height },
  };
}

export function logoAddress({ version }: Pick<Brand, 'version'>): string {
  return `${logoPath}?v=${version}`;
}

const narrow = 1.5;

export function iconAddress({ version, name, logo }: Brand): string | null {
  if (logo !== null && logo.width <= logo.height * narrow) return logoAddress({ version });
  return name === null ? null : `${brandIconPath}?v=${version}`;
}
