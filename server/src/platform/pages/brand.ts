/** How an org looks: data, never markup (design section 8). */
export interface Brand {
  readonly name: string;
  /** `#rrggbb`; null: ours. */
  readonly colour: string | null;
  /** A small image as `data:` address; null: the first letter of the name stands for it. */
  readonly logo: string | null;
}

const COLOUR = /^#[0-9a-f]{6}$/i;
const LOGO = /^data:image\/(png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/]+={0,2}$/;
export const MAXIMUM_LOGO_CHARACTERS = 8_192;

export const isBrandColour = (value: unknown): value is string => typeof value === 'string' && COLOUR.test(value);

/** An SVG in an image element runs no script and loads nothing. */
export const isBrandLogo = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAXIMUM_LOGO_CHARACTERS && LOGO.test(value);

/** Relative luminance (WCAG 2.2). */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Black or white, whichever is the easier to read on a colour: one of them has 4.5:1 on every colour there is. */
export const textOn = (colour: string): '#000' | '#fff' => (luminance(colour) > 0.179 ? '#000' : '#fff');

/** What the org's colour changes in the style. */
export const brandStyle = ({ colour }: Brand): string =>
  isBrandColour(colour) ? `:root { --brand: ${colour}; --on-brand: ${textOn(colour)}; }` : '';
