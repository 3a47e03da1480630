// Derives light and dark shades from the operator's accent color.
// Invariant: text in or on the accent has a contrast of at least 4.5 (WCAG 2 AA); the color is adjusted, keeping its hue.

export const productColor = '#1d4ed8';

export interface AccentShades {
  readonly accent: string;
  readonly accentStrong: string;
  /** Background of text in the accent. */
  readonly accentFill: string;
  readonly onAccent: string;
}

export interface AccentThemes {
  readonly light: AccentShades;
  readonly dark: AccentShades;
  readonly isMoved: { readonly light: boolean; readonly dark: boolean };
}

type Rgb = readonly [red: number, green: number, blue: number];

/** Surfaces under accent text (web/src/styles.css), and the color towards which the accent is adjusted. */
const themes = {
  light: {
    surfaces: ['#ffffff', '#f6f7f9', '#eff1f4'],
    card: '#ffffff',
    towards: '#000000',
    on: '#ffffff',
    fill: 0.1,
  },
  dark: {
    surfaces: ['#111214', '#1b1c1f', '#26282c'],
    card: '#1b1c1f',
    towards: '#ffffff',
    on: '#0b1020',
    fill: 0.22,
  },
} as const;

/** Above 4.5, to allow for rounding to 0..255. */
const contrastMin = 4.55;
const steps = 100;
const strongStep = 0.15;

export function accentThemes(color: string): AccentThemes {
  const [light, dark] = [shadesOf(color, themes.light), shadesOf(color, themes.dark)];
  const chosen = color.toLowerCase();
  return { light, dark, isMoved: { light: light.accent !== chosen, dark: dark.accent !== chosen } };
}

function shadesOf(
  color: string,
  { surfaces, card, towards, on, fill }: (typeof themes)[keyof typeof themes],
): AccentShades {
  const accentFill = mixed(card, color, fill);
  const isReadable = (shade: string) =>
    [...surfaces, accentFill, on].every((other) => contrast(shade, other) >= contrastMin);
  for (let step = 0; step < steps; step += 1) {
    const accent = mixed(color, towards, step / steps);
    if (isReadable(accent)) {
      return { accent, accentStrong: mixed(accent, towards, strongStep), accentFill, onAccent: on };
    }
  }
  return { accent: towards, accentStrong: towards, accentFill, onAccent: on };
}

function contrast(one: string, other: string): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function luminance(color: string): number {
  const [red, green, blue] = rgbOf(color).map((part) => {
    const share = part / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

function mixed(from: string, to: string, share: number): string {
  const target = rgbOf(to);
  const parts = rgbOf(from).map((part, index) =>
    Math.round(part + ((target[index] ?? 0) - part) * share)
      .toString(16)
      .padStart(2, '0'),
  );
  return `#${parts.join('')}`;
}

function rgbOf(color: string): Rgb {
  const number = Number.parseInt(color.slice(1), 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}
