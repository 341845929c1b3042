import { invalidObject } from '../../../kernel/errors/errors.ts';
import { mustBeOneOf } from '../../../kernel/errors/problems.ts';
import {
  isColour,
  OUR_COLOURS,
  type ThemeColours,
  TOUCH_POINTS,
  type TouchPoint,
  type TouchPoints,
  textOn,
} from '../../../platform/pages/index.ts';

export interface ThemeChoices extends TouchPoints, ThemeColours {}

export const TOUCH_POINT_NAMES = Object.keys(TOUCH_POINTS) as TouchPoint[];
export const COLOUR_NAMES = [
  'primaryColorHex',
  'primaryColorContrastHex',
  'secondaryColorHex',
  'secondaryColorContrastHex',
] as const;

export const wireVariant = (variant: string, upperWord: string): string =>
  variant === 'DEFAULT' ? `${upperWord}_DEFAULT` : variant;

/** The colours of text, each with the colour of its background. */
const CONTRASTS = [
  ['primaryColorContrastHex', 'primaryColorHex'],
  ['secondaryColorContrastHex', 'secondaryColorHex'],
] as const;

const isSame = (one: string | null, other: string): boolean => one?.toLowerCase() === other;

/** Replaces each colour that equals its default with null, which means that none was chosen. */
function chosenColours(given: ThemeColours): ThemeColours {
  const contrasts = CONTRASTS.map(([name, ground]) => {
    const best = textOn(given[ground] ?? OUR_COLOURS[ground], null);
    return [name, isSame(given[name], best) ? null : given[name]];
  });
  const grounds = CONTRASTS.map(([, name]) => [name, isSame(given[name], OUR_COLOURS[name]) ? null : given[name]]);
  return Object.fromEntries([...grounds, ...contrasts]) as ThemeColours;
}

/** Null and absence mean the default. */
export type ThemeWords = { readonly [Name in keyof ThemeChoices]?: string | null };

/** The result is valid input for `readTheme`. */
export const wordsOf = (theme: ThemeChoices, upperWord: string): ThemeWords => ({
  ...Object.fromEntries(COLOUR_NAMES.map((name) => [name, theme[name]])),
  ...Object.fromEntries(TOUCH_POINT_NAMES.map((name) => [name, wireVariant(theme[name], upperWord)])),
});

export function readTheme(input: ThemeWords, upperWord: string): ThemeChoices {
  const faults: string[] = [];
  const colours = COLOUR_NAMES.map((name) => {
    const value = input[name] ?? null;
    if (value !== null && !isColour(value)) faults.push(`${name}: must be a colour such as #1a73e8.`);
    return [name, value];
  });
  const variants = TOUCH_POINT_NAMES.map((name) => {
    const known: readonly string[] = TOUCH_POINTS[name];
    const value = input[name] ?? wireVariant('DEFAULT', upperWord);
    const found = known.find((one) => wireVariant(one, upperWord) === value);
    const words = known.map((one) => wireVariant(one, upperWord));
    if (found === undefined) faults.push(`${name}: ${mustBeOneOf(words)}`);
    return [name, found];
  });
  const [first] = faults;
  if (first !== undefined) throw invalidObject(first.split(':')[0] ?? 'theme', faults);
  return {
    ...chosenColours(Object.fromEntries(colours) as ThemeColours),
    ...Object.fromEntries(variants),
  } as ThemeChoices;
}
