import { describe, expect, test } from 'vitest';
import { lookOf, mailLookOf } from './look.ts';
import { STYLE } from './style.ts';
import { contrastOf, isColour, isImagePath, NO_THEME, OUR_COLOURS, type Theme, textOn } from './theme.ts';

const LOGO = '/fs/bco/7/0af';
const themeOf = (more: Partial<Theme>): Theme => ({
  ...NO_THEME,
  primaryColorHex: '#ffcc00',
  secondaryColorHex: '#b5321a',
  logo: LOGO,
  favicon: '/fs/bco/7/1af',
  backgroundImage: '/fs/bco/7/2af',
  ...more,
});

describe('a colour', () => {
  /** The test tries every eighth value of red, green and blue, because no chosen colour may make text unreadable. */
  test('has a text of 4.5:1, whichever is chosen and whatever is wished for', () => {
    const steps = Array.from({ length: 33 }, (_, step) =>
      Math.min(255, step * 8)
        .toString(16)
        .padStart(2, '0'),
    );
    for (const red of steps) {
      for (const green of steps) {
        for (const blue of steps) {
          const colour = `#${red}${green}${blue}`;
          const worst = Math.min(...[null, '#777777'].map((wished) => contrastOf(colour, textOn(colour, wished))));
          if (worst < 4.5) throw new Error(`${colour}: ${worst}`);
        }
      }
    }
  });

  test('has the text that is wished for where that can be read', () => {
    expect(textOn('#1662dd', '#fffff0')).toBe('#fffff0');
    expect(textOn('#1662dd', '#000000')).toBe('#ffffff');
    expect(textOn('#ffcc00', null)).toBe('#000000');
  });

  test.each(['red', '#fff', '#1a50b5;}body{display:none', '#1a50b5\n', 'url(//evil.example)', 7, null])(
    '%s is none, and changes nothing',
    (value) => {
      expect(isColour(value)).toBe(false);
      const theme = themeOf({
        primaryColorHex: value as string | null,
        secondaryColorHex: value as string | null,
        signInPageTouchPointVariant: 'BACKGROUND_SECONDARY_COLOR',
      });
      expect(lookOf(theme, 'card').style.trim()).toBe('');
    },
  );

  test('of ours is the one of the style', () => {
    expect(STYLE).toContain(`--brand: ${OUR_COLOURS.primaryColorHex};`);
    expect(STYLE).toContain(`--back: ${OUR_COLOURS.secondaryColorHex};`);
  });
});

test.each([
  ['/fs/bco/7/0af', true],
  ['https://evil.example/logo.png', false],
  ['//evil.example/logo.png', false],
  ['/fs/"onerror=x', false],
  ['/fs/x") ; }', false],
  ['data:image/png;base64,AAAA', false],
])('%s is the path of an image: %s', (value, isOne) => {
  expect(isImagePath(value)).toBe(isOne);
  expect(lookOf(themeOf({ logo: value, signInPageTouchPointVariant: 'BACKGROUND_IMAGE' }), 'card').logo !== null).toBe(
    isOne,
  );
});

describe('a page', () => {
  test.each(['card', 'problem', 'wide'] as const)('that is a %s shows nothing of a theme by default', (kind) => {
    expect(lookOf(themeOf({}), kind)).toEqual({ logo: null, favicon: null, style: '' });
  });

  test('shows what its own touch point says', () => {
    const theme = themeOf({
      signInPageTouchPointVariant: 'BACKGROUND_IMAGE',
      errorPageTouchPointVariant: 'BACKGROUND_SECONDARY_COLOR',
      endUserDashboardTouchPointVariant: 'WHITE_LOGO_BACKGROUND',
    });
    const [card, problem, wide] = (['card', 'problem', 'wide'] as const).map((kind) => lookOf(theme, kind));
    for (const look of [card, problem, wide]) {
      expect(look).toMatchObject({ logo: LOGO, favicon: '/fs/bco/7/1af' });
      expect(look?.style).toContain('--brand: #ffcc00; --on-brand: #000000; --shade: rgb(255 255 255 / 15%);');
    }
    expect(card?.style).toContain('url("/fs/bco/7/2af")');
    expect(problem?.style).toContain('body { background: #b5321a; }');
    expect(problem?.style).not.toContain('url(');
    expect(wide?.style).toContain('.wide > nav {');
    expect(wide?.style).not.toContain('.wide > header');
    const full = lookOf({ ...theme, endUserDashboardTouchPointVariant: 'FULL_THEME' }, 'wide');
    expect(full.style).toContain('.wide > header, .wide > nav { background: var(--brand);');
  });

  test('has the text that is wished for on the colour behind it, where that can be read', () => {
    const behind = (secondaryColorContrastHex: string | null) =>
      lookOf(
        themeOf({ errorPageTouchPointVariant: 'BACKGROUND_SECONDARY_COLOR', secondaryColorContrastHex }),
        'problem',
      ).style;
    expect(behind('#ffffe0')).toContain('.card + footer span { color: #ffffe0; }');
    expect(behind('#b5321b')).toContain('.card + footer span { color: #ffffff; }');
    expect(behind(null)).toContain('.card + footer span { color: #ffffff; }');
  });

  test('under the pointer a button moves away from its text', () => {
    const dark = themeOf({ primaryColorHex: '#1662dd', signInPageTouchPointVariant: 'BACKGROUND_IMAGE' });
    expect(lookOf(dark, 'card').style).toContain('--on-brand: #ffffff; --shade: rgb(0 0 0 / 10%);');
  });
});

test('a mail has colour and logo only where its touch point says so', () => {
  expect(mailLookOf(themeOf({}), 'https://acme.example')).toBeNull();
  const full = themeOf({ emailTemplateTouchPointVariant: 'FULL_THEME' });
  expect(mailLookOf(full, 'https://acme.example')).toEqual({
    logo: `https://acme.example${LOGO}`,
    colour: '#ffcc00',
    text: '#000000',
  });
  const bare = { ...full, logo: null, primaryColorHex: null };
  expect(mailLookOf(bare, 'https://acme.example')).toEqual({ logo: null, colour: '#1a50b5', text: '#ffffff' });
});
