import { describe, expect, test } from 'vitest';
import { brandStyle, isBrandColour, isBrandLogo, textOn } from './brand.ts';

const brand = { name: 'Acme', logo: null };

describe('a colour', () => {
  test.each(['#000000', '#ffffff', '#767676', '#1a50b5', '#FFcc00'])('%s has text of its own', (colour) => {
    expect(isBrandColour(colour)).toBe(true);
    expect(brandStyle({ ...brand, colour })).toContain(`--on-brand: ${textOn(colour)}`);
  });

  test('dark ones take white, light ones black', () => {
    expect(['#000000', '#1a50b5', '#FFcc00', '#ffffff'].map(textOn)).toEqual(['#fff', '#fff', '#000', '#000']);
  });

  test.each(['red', '#fff', '#1a50b5;}body{display:none', '#1a50b5\n', 'url(//evil.example)', 7, null])(
    '%s is none, and changes nothing',
    (value) => {
      expect(isBrandColour(value)).toBe(false);
      expect(brandStyle({ ...brand, colour: value as string | null })).toBe('');
    },
  );
});

test.each([
  ['data:image/png;base64,iVBORw0KGgo=', true],
  ['data:image/svg+xml;base64,PHN2Zy8+', true],
  ['data:text/html;base64,PHN2Zy8+', false],
  ['data:image/png;base64,iVBO" onerror="x', false],
  ['https://evil.example/logo.png', false],
  [`data:image/png;base64,${'A'.repeat(9_000)}`, false],
])('logo %.40s: %s', (value, isOne) => {
  expect(isBrandLogo(value)).toBe(isOne);
});
