import type { ErrorCause } from '../../../kernel/errors/errors.ts';
import {
  charactersIn as characters,
  foldCase,
  MAXIMUM_MARKS,
  normalised,
  refusalOf,
} from '../../../kernel/texts/text.ts';
import type { PasswordPolicy } from '../../../kernel/words/password-policy.ts';

/** The operations that the policy permits users to perform themselves, and whether recovery asks a question. */
export interface SelfService {
  readonly mayChangePassword: boolean;
  readonly mayResetPassword: boolean;
  readonly mayUnlock: boolean;
  /**
   * `ifSet` asks only users who have a recovery question. With `required`, users without one cannot reset their
   * passwords.
   */
  readonly question: 'ifSet' | 'required' | 'never';
}

export const DEFAULT_PASSWORD_POLICY: PasswordPolicy = {
  complexity: {
    minLength: 8,
    minLowerCase: 1,
    minUpperCase: 1,
    minNumber: 1,
    minSymbol: 0,
    excludeUsername: true,
    excludeAttributes: [],
    dictionary: { common: { exclude: false } },
    maxConsecutiveCharacters: 0,
  },
  age: { maxAgeDays: 0, expireWarnDays: 0, minAgeMinutes: 0, historyCount: 4 },
  lockout: { maxAttempts: 10, autoUnlockMinutes: 0, showLockoutFailures: false, userLockoutNotificationChannels: [] },
  recovery: { question: { isActive: true, minLength: 4 }, email: { isActive: true, tokenLifetimeMinutes: 60 } },
};

export interface PasswordOwner {
  readonly login: string;
  readonly firstName?: string | null;
  readonly lastName?: string | null;
}

/** The maximum length of a password, in characters (contract: max 72). */
export const MAXIMUM_PASSWORD_CHARACTERS = 72;
/** The minimum length of names and login parts that a policy excludes. Shorter ones occur in too many words. */
const MINIMUM_PART_CHARACTERS = 4;
const MAXIMUM_NAME_CHARACTERS = 100;
const LOGIN_SEPARATORS = /[@._\-#]/;

interface Rule {
  readonly reason: string;
  readonly requirement: string | ((complexity: PasswordPolicy['complexity']) => string);
  readonly applies: (complexity: PasswordPolicy['complexity']) => boolean;
  readonly isKept: (complexity: PasswordPolicy['complexity'], password: string, asked: Asked) => boolean;
}

export type IsCommonPassword = (password: string) => boolean;

interface Asked {
  readonly owner: PasswordOwner;
  readonly isCommon: IsCommonPassword;
}

const count = (text: string, kind: RegExp): number => text.match(kind)?.length ?? 0;

/**
 * Returns whether a name is compared with passwords. Very long names, and long runs of combining marks, would be slow
 * to compare.
 */
const isName = (text: string): boolean => refusalOf(text, MAXIMUM_NAME_CHARACTERS) === null;

function contains(password: string, part: string | null | undefined): boolean {
  const folded = isName(part ?? '') ? foldCase(part ?? '') : '';
  return characters(folded) >= MINIMUM_PART_CHARACTERS && foldCase(password).includes(folded);
}

const containsLogin = (password: string, login: string): boolean =>
  isName(login) && [login, ...login.split(LOGIN_SEPARATORS)].some((part) => contains(password, part));

function longestRun(text: string): number {
  let longest = 0;
  let run = 0;
  let last = '';
  for (const character of text) {
    run = character === last ? run + 1 : 1;
    last = character;
    longest = Math.max(longest, run);
  }
  return longest;
}

const attributeRule = (attribute: 'firstName' | 'lastName', reason: string, requirement: string): Rule => ({
  reason,
  requirement,
  applies: ({ excludeAttributes }) => excludeAttributes.includes(attribute),
  isKept: (_, password, { owner }) => !contains(password, owner[attribute]),
});

const COMPOSITION: readonly Rule[] = [
  {
    reason: 'LOWER_CASE_REQUIRED',
    requirement: 'a lowercase letter',
    applies: ({ minLowerCase }) => minLowerCase > 0,
    isKept: ({ minLowerCase }, password) => count(password, /\p{Ll}/gu) >= minLowerCase,
  },
  {
    reason: 'UPPER_CASE_REQUIRED',
    requirement: 'an uppercase letter',
    applies: ({ minUpperCase }) => minUpperCase > 0,
    isKept: ({ minUpperCase }, password) => count(password, /\p{Lu}/gu) >= minUpperCase,
  },
  {
    reason: 'NUMBER_REQUIRED',
    requirement: 'a number',
    applies: ({ minNumber }) => minNumber > 0,
    isKept: ({ minNumber }, password) => count(password, /\p{Nd}/gu) >= minNumber,
  },
  {
    reason: 'SYMBOL_REQUIRED',
    requirement: 'a symbol',
    applies: ({ minSymbol }) => minSymbol > 0,
    isKept: ({ minSymbol }, password) => count(password, /[\p{P}\p{S}]/gu) >= minSymbol,
  },
  {
    reason: 'USERNAME_EXCLUDED',
    requirement: 'no parts of your username',
    applies: ({ excludeUsername }) => excludeUsername,
    isKept: (_, password, { owner }) => !containsLogin(password, owner.login),
  },
  attributeRule('firstName', 'FIRST_NAME_EXCLUDED', 'does not include your first name'),
  attributeRule('lastName', 'LAST_NAME_EXCLUDED', 'does not include your last name'),
  {
    reason: 'CONSECUTIVE_CHARACTERS_EXCEEDED',
    requirement: ({ maxConsecutiveCharacters: most }) => `no character more than ${most} times in a row`,
    applies: ({ maxConsecutiveCharacters }) => maxConsecutiveCharacters > 0,
    isKept: ({ maxConsecutiveCharacters }, password) => longestRun(password) <= maxConsecutiveCharacters,
  },
  {
    reason: 'COMMON_PASSWORD',
    requirement: 'not a commonly used password',
    applies: ({ dictionary }) => dictionary.common.exclude,
    isKept: (_, password, { isCommon }) => !isCommon(password),
  },
];

const requirementOf = ({ requirement }: Rule, complexity: PasswordPolicy['complexity']): string =>
  typeof requirement === 'string' ? requirement : requirement(complexity);

const cause = (reason: string, errorSummary: string): ErrorCause => ({
  errorSummary: `password: ${errorSummary}`,
  reason,
  location: 'credentials.password.value',
  locationType: 'body',
  domain: 'user',
});

function unreadable(password: string): ErrorCause {
  if (refusalOf(password, MAXIMUM_PASSWORD_CHARACTERS) === 'tooManyMarks') {
    const limit = `Passwords must not contain more than ${MAXIMUM_MARKS} combining marks in a row`;
    return cause('CHARACTER_NOT_ALLOWED', limit);
  }
  return cause('LENGTH_MAXIMUM', `Passwords must be at most ${MAXIMUM_PASSWORD_CHARACTERS} characters in length`);
}

/**
 * Returns a cause for each violated rule except history and age, or a single cause if the password cannot be
 * normalized.
 */
export function checkPassword(
  policy: PasswordPolicy,
  password: string,
  owner: PasswordOwner,
  isCommon: IsCommonPassword = () => false,
): ErrorCause[] {
  const { complexity } = policy;
  const text = normalised(password, MAXIMUM_PASSWORD_CHARACTERS);
  if (text === null) return [unreadable(password)];
  const causes: ErrorCause[] = [];
  const minimum = Math.max(1, complexity.minLength);
  if (characters(text) < minimum) {
    causes.push(cause('LENGTH_MINIMUM', `Passwords must be at least ${minimum} characters in length`));
  }
  if (text.includes('\0') || /\p{Cs}/u.test(text)) {
    causes.push(cause('CHARACTER_NOT_ALLOWED', 'Passwords must not contain the character NUL or half a character'));
  }
  for (const rule of COMPOSITION) {
    if (!rule.applies(complexity) || rule.isKept(complexity, text, { owner, isCommon })) continue;
    const requirement = requirementOf(rule, complexity);
    causes.push(cause(rule.reason, `Password requirements: at least 0 characters, ${requirement}.`));
  }
  return causes;
}

export function singleCause({ complexity }: PasswordPolicy): ErrorCause {
  const applying = COMPOSITION.filter(({ applies }) => applies(complexity));
  const requirements = applying.map((rule) => requirementOf(rule, complexity));
  const all = [`at least ${complexity.minLength} characters`, ...requirements].join(', ');
  return { errorSummary: `Password requirements were not met. Password requirements: ${all}.` };
}
