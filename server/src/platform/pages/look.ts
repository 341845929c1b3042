import { isColour, isImagePath, luminance, OUR_COLOURS, type Theme, textOn } from './theme.ts';

export type PageKind = 'card' | 'problem' | 'wide';

export interface Look {
  readonly logo: string | null;
  readonly favicon: string | null;
  readonly style: string;
}

const DARKER = 'rgb(0 0 0 / 10%)';
const LIGHTER = 'rgb(255 255 255 / 15%)';

/** The shade makes a button under the pointer contrast more with its text. */
function brandStyle({ primaryColorContrastHex, primaryColorHex: colour }: Theme): string {
  if (!isColour(colour)) return '';
  const text = textOn(colour, primaryColorContrastHex);
  const shade = luminance(text) > luminance(colour) ? DARKER : LIGHTER;
  return `:root { --brand: ${colour}; --on-brand: ${text}; --shade: ${shade}; }`;
}

/** Text on the background gets a colour that is readable there. */
function colourBehind({ secondaryColorContrastHex, secondaryColorHex: colour }: Theme): string {
  if (!isColour(colour)) return '';
  const text = textOn(colour, secondaryColorContrastHex);
  return `body { background: ${colour}; } .card > .brand, .card + footer, .card + footer span { color: ${text}; }
.card + footer :focus-visible { outline-color: ${text}; }`;
}

/** Text outside the card gets a card of its own to stay readable. */
function imageBehind({ backgroundImage }: Theme): string {
  if (!isImagePath(backgroundImage)) return '';
  return `body { background: var(--back) url("${backgroundImage}") center / cover no-repeat fixed; }
.card > .brand, .card + footer > div { width: fit-content; max-width: 100%; margin-inline: auto; padding: .5rem 1rem;
  background: var(--card); border-radius: .75rem; }`;
}

const ON_BRAND = ['.wide > header', '.wide > nav'] as const;

function bars(places: readonly string[]): string {
  const of = (inside: string): string => places.map((place) => place + inside).join(', ');
  return `${of('')} { background: var(--brand); color: var(--on-brand); border-color: transparent; }
${of(' a')}, ${of(' a:hover')}, ${of(' a[aria-current]')}, ${of(' button.quiet')} { color: var(--on-brand); }
${of(' a[aria-current]')}, ${of(' button.quiet')} { border-color: var(--on-brand); }
${of(' button.quiet:hover')} { box-shadow: inset 0 0 0 99rem var(--shade); }
${of(' .mark')} { background: var(--on-brand); color: var(--brand); }
${of(' :focus-visible')} { outline-color: var(--on-brand); }
.skip:focus-visible { outline-offset: -.375rem; }`;
}

const BARS = {
  FULL_THEME: bars(ON_BRAND),
  LOGO_ON_FULL_WHITE_BACKGROUND: '',
  WHITE_LOGO_BACKGROUND: bars(ON_BRAND.slice(1)),
} as const;

const PLAIN: Look = { logo: null, favicon: null, style: '' };

function styleBehind(theme: Theme, kind: PageKind): string | null {
  if (kind === 'wide') {
    const variant = theme.endUserDashboardTouchPointVariant;
    return variant === 'DEFAULT' ? null : BARS[variant];
  }
  const variant = kind === 'card' ? theme.signInPageTouchPointVariant : theme.errorPageTouchPointVariant;
  if (variant === 'DEFAULT') return null;
  return variant === 'BACKGROUND_IMAGE' ? imageBehind(theme) : colourBehind(theme);
}

export function lookOf(theme: Theme, kind: PageKind): Look {
  const behind = styleBehind(theme, kind);
  if (behind === null) return PLAIN;
  const [logo, favicon] = [theme.logo, theme.favicon].map((image) => (isImagePath(image) ? image : null));
  return { logo: logo ?? null, favicon: favicon ?? null, style: `${brandStyle(theme)}\n${behind}` };
}

/** The parts of a theme that an email shows. Email programs know neither our style sheet nor our host. */
export interface MailLook {
  /** The absolute address of the logo; null if there is no logo. */
  readonly logo: string | null;
  readonly colour: string;
  readonly text: string;
}

export function mailLookOf(theme: Theme, baseUrl: string): MailLook | null {
  if (theme.emailTemplateTouchPointVariant === 'DEFAULT') return null;
  const colour = isColour(theme.primaryColorHex) ? theme.primaryColorHex : OUR_COLOURS.primaryColorHex;
  const logo = isImagePath(theme.logo) ? baseUrl + theme.logo : null;
  return { logo, colour, text: textOn(colour, theme.primaryColorContrastHex) };
}
