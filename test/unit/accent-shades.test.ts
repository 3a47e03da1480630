// Text in and on any color that an operator chooses can be read.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accentThemes } from '../../src/shared/accent-shades.ts';

function contrastOf(one: string, other: string): number {
  const luminance = (color: string) =>
    [0.2126, 0.7152, 0.0722].reduce((sum, weight, index) => {
      const part = Number.parseInt(color.slice(1 + index * 2, 3 + index * 2), 16) / 255;
      return sum + weight * (part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    }, 0.05);
  const [a, b] = [luminance(one), luminance(other)];
  return Math.max(a, b) / Math.min(a, b);
}

const surfaces = { light: ['#ffffff', '#f6f7f9', '#eff1f4'], dark: ['#111214', '#1b1c1f', '#26282c'] };

test('text in the accent and on it has a contrast of 4.5 or more for every chosen color', () => {
  const parts = ['00', '2b', '55', '80', 'aa', 'd5', 'ff'];
  const colors = parts.flatMap((red) =>
    parts.flatMap((green) => parts.map((blue) => `#${red}${green}${blue}`)),
  );
  for (const color of colors) {
    const themes = accentThemes(color);
    for (const theme of ['light', 'dark'] as const) {
      const { accent, accentStrong, accentFill, onAccent } = themes[theme];
      for (const surface of [...surfaces[theme], accentFill, onAccent]) {
        assert.ok(contrastOf(accent, surface) >= 4.5, `${color} ${theme}: ${accent} on ${surface}`);
      }
      assert.ok(contrastOf(accentStrong, onAccent) >= 4.5, `${color} ${theme}: ${accentStrong}`);
    }
  }
});

test('a color that can be read stays as it was chosen, and one that cannot is said to have moved', () => {
  assert.equal(accentThemes('#0F5F59').light.accent, '#0f5f59');
  assert.deepEqual(accentThemes('#0F5F59').isMoved, { light: false, dark: true });
  assert.deepEqual(accentThemes('#ffe14d').isMoved, { light: true, dark: false });
});
