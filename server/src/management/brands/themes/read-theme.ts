import { invalid } from '../../../kernel/errors/errors.ts';
import {
  isColour,
  OUR_COLOURS,
  type ThemeColours,
  TOUCH_POINTS,
  type TouchPoint,
  type TouchPoints,
  textOn,
} from '../../../platform/pages/index.ts';

/** What a theme is but for its images, which have addresses of their own. */
export interface ThemeChoices extends TouchPoints, ThemeColours {}

export const TOUCH_POINT_NAMES = Object.keys(TOUCH_POINTS) as TouchPoint[];
export const COLOUR_NAMES = [
  'primaryColorHex',
  'primaryColorContrastHex',
  'secondaryColorHex',
  'secondaryColorContrastHex',
] as const;

/** The default of ours bears the word of the wire. */
export const wireVariant = (variant: string, upperWord: string): string =>
  variant === 'DEFAULT' ? `${upperWord}_DEFAULT` : variant;

/** Colours of text, and what it stands on. */
const CONTRASTS = [
  ['primaryColorContrastHex', 'primaryColorHex'],
  ['secondaryColorContrastHex', 'secondaryColorHex'],
] as const;

const isSame = (one: string | null, other: string): boolean => one?.toLowerCase() === other;

/**
 * What is the same as the default was not chosen: in the dark ours is another colour, and what is read best goes with
 * what it stands on.
 */
function chosenColours(given: ThemeColours): ThemeColours {
  const contrasts = CONTRASTS.map(([name, ground]) => {
    const best = textOn(given[ground] ?? OUR_COLOURS[ground], null);
    return [name, isSame(given[name], best) ? null : given[name]];
  });
  const grounds = CONTRASTS.map(([, name]) => [name, isSame(given[name], OUR_COLOURS[name]) ? null : given[name]]);
  return Object.fromEntries([...grounds, ...contrasts]) as ThemeColours;
}

/** Choices in the words of the wire. Null, and what is left out: the default. */
export type ThemeWords = { readonly [Name in keyof ThemeChoices]?: string | null };

/** What was chosen, as `readTheme` takes it. */
export const wordsOf = (theme: ThemeChoices, upperWord: string): ThemeWords => ({
  ...Object.fromEntries(COLOUR_NAMES.map((name) => [name, theme[name]])),
  ...Object.fromEntries(TOUCH_POINT_NAMES.map((name) => [name, wireVariant(theme[name], upperWord)])),
});

/** 400 E0000001 with a cause for each fault. */
export function readTheme(input: ThemeWords, upperWord: string): ThemeChoices {
  const faults: string[] = [];
  const colours = COLOUR_NAMES.map((name) => {
    const value = input[name] ?? null;
    if (value !== null && !isColour(value)) faults.push(`${name}: must be a colour as #rrggbb.`);
    return [name, value];
  });
  const variants = TOUCH_POINT_NAMES.map((name) => {
    const known: readonly string[] = TOUCH_POINTS[name];
    const value = input[name] ?? wireVariant('DEFAULT', upperWord);
    const found = known.find((one) => wireVariant(one, upperWord) === value);
    const words = known.map((one) => wireVariant(one, upperWord)).join(', ');
    if (found === undefined) faults.push(`${name}: must be one of ${words}.`);
    return [name, found];
  });
  const [first] = faults;
  if (first !== undefined) throw invalid(first.split(':')[0] ?? 'theme', ...faults);
  return {
    ...chosenColours(Object.fromEntries(colours) as ThemeColours),
    ...Object.fromEntries(variants),
  } as ThemeChoices;
}
