/** The variants of a theme for each kind of page and email; the first variant of each kind is the default. */
export const TOUCH_POINTS = {
  signInPageTouchPointVariant: ['DEFAULT', 'BACKGROUND_SECONDARY_COLOR', 'BACKGROUND_IMAGE'],
  endUserDashboardTouchPointVariant: [
    'DEFAULT',
    'FULL_THEME',
    'LOGO_ON_FULL_WHITE_BACKGROUND',
    'WHITE_LOGO_BACKGROUND',
  ],
  errorPageTouchPointVariant: ['DEFAULT', 'BACKGROUND_SECONDARY_COLOR', 'BACKGROUND_IMAGE'],
  emailTemplateTouchPointVariant: ['DEFAULT', 'FULL_THEME'],
  loadingPageTouchPointVariant: ['DEFAULT', 'NONE'],
} as const;
export type TouchPoint = keyof typeof TOUCH_POINTS;
export type TouchPoints = { readonly [Name in TouchPoint]: (typeof TOUCH_POINTS)[Name][number] };

/** Each colour is `#rrggbb`. Null means our own colour or, for a contrast colour, black or white. */
export interface ThemeColours {
  readonly primaryColorHex: string | null;
  /** The colour of text on the primary colour. If such text would be unreadable, black or white replaces it. */
  readonly primaryColorContrastHex: string | null;
  readonly secondaryColorHex: string | null;
  readonly secondaryColorContrastHex: string | null;
}

export interface ThemeImages {
  readonly logo: string | null;
  readonly favicon: string | null;
  readonly backgroundImage: string | null;
}

/** The look of an org. Images are paths on the org's own host. */
export interface Theme extends TouchPoints, ThemeColours, ThemeImages {}

export interface Brand {
  readonly name: string;
  readonly theme: Theme;
}

export const NO_THEME: Theme = {
  primaryColorHex: null,
  primaryColorContrastHex: null,
  secondaryColorHex: null,
  secondaryColorContrastHex: null,
  logo: null,
  favicon: null,
  backgroundImage: null,
  signInPageTouchPointVariant: 'DEFAULT',
  endUserDashboardTouchPointVariant: 'DEFAULT',
  errorPageTouchPointVariant: 'DEFAULT',
  emailTemplateTouchPointVariant: 'DEFAULT',
  loadingPageTouchPointVariant: 'DEFAULT',
};

/** The colours that null stands for, in light mode (style.ts). */
export const OUR_COLOURS = { primaryColorHex: '#1a50b5', secondaryColorHex: '#f3f5f8' } as const;

const COLOUR = /^#[0-9a-f]{6}$/i;
const IMAGE = /^\/fs\/[\w/]+$/;

export const isColour = (value: unknown): value is string => typeof value === 'string' && COLOUR.test(value);
/** Tells whether a path is one of our own, which a style sheet can contain unchanged. */
export const isImagePath = (value: unknown): value is string => typeof value === 'string' && IMAGE.test(value);

/** Returns the relative luminance of a colour (WCAG 2.2). */
export function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns the contrast ratio of two colours (WCAG 2.2), from 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((left, right) => left - right);
  return (light + 0.05) / (dark + 0.05);
}

/** The minimum contrast of text (WCAG 2.2, 1.4.3). */
export const READABLE_CONTRAST = 4.5;

/** Returns the requested text colour if it is readable, or else black or white. One of the two always reaches 4.5:1. */
export function textOn(colour: string, wished: string | null): string {
  if (isColour(wished) && contrastOf(colour, wished) >= READABLE_CONTRAST) return wished;
  return luminance(colour) > 0.179 ? '#000000' : '#ffffff';
}
