import { invalid } from '../../../kernel/errors/errors.ts';
import type { PasswordPolicy } from '../../../kernel/words/password-policy.ts';
import {
  choice,
  flag,
  integer,
  list,
  mapped,
  neutralNull,
  notYet,
  object,
  type Shape,
} from '../types/document-rules.ts';

/** The settings that this interface adds to `PasswordPolicy` are stored but not enforced. */
export interface PasswordSettings extends PasswordPolicy {
  readonly recovery: PasswordPolicy['recovery'] & {
    readonly sms: { readonly isActive: boolean };
    readonly call: { readonly isActive: boolean };
  };
  readonly delegation: { readonly skipUnlock: boolean };
}

export const DEFAULT_PASSWORD_SETTINGS: PasswordSettings = {
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
  recovery: {
    question: { isActive: true, minLength: 4 },
    email: { isActive: true, tokenLifetimeMinutes: 60 },
    sms: { isActive: false },
    call: { isActive: false },
  },
  delegation: { skipUnlock: false },
};

/** Settings according to NIST SP 800-63B-4 for passwords that are the only factor. */
export const NIST_PASSWORD_SETTINGS: PasswordSettings = {
  complexity: {
    ...DEFAULT_PASSWORD_SETTINGS.complexity,
    minLength: 15,
    minLowerCase: 0,
    minUpperCase: 0,
    minNumber: 0,
    excludeAttributes: ['firstName', 'lastName'],
    dictionary: { common: { exclude: true } },
  },
  age: { maxAgeDays: 0, expireWarnDays: 0, minAgeMinutes: 0, historyCount: 0 },
  lockout: { ...DEFAULT_PASSWORD_SETTINGS.lockout, maxAttempts: 100, autoUnlockMinutes: 60 },
  recovery: { ...DEFAULT_PASSWORD_SETTINGS.recovery, question: { isActive: false, minLength: 4 } },
  delegation: { skipUnlock: false },
};

/** A request selects these settings by name (`?preset=`). */
export const PASSWORD_PRESETS = {
  CLASSIC: DEFAULT_PASSWORD_SETTINGS,
  NIST_SP_800_63B: NIST_PASSWORD_SETTINGS,
} as const;
export type PasswordPreset = keyof typeof PASSWORD_PRESETS;

/** The contract sets this maximum for `maxConsecutiveCharacters`. This service applies it to `minLength` as well. */
const MAXIMUM_PASSWORD_CHARACTERS = 72;
const MAXIMUM_DAYS = 3_650;
const MAXIMUM_MINUTES = 525_600;
/** Each remembered password costs one hash when a new password is compared with the history. */
const MAXIMUM_HISTORY = 30;
/** The maximum number of failed attempts in a row (NIST SP 800-63B-4). A setting of 0 means no limit. */
const MAXIMUM_ATTEMPTS = 100;
const MAXIMUM_TOKEN_MINUTES = 20_160;

const number = (otherwise: number, maximum: number, minimum = 0) => integer({ minimum, maximum, otherwise });
const classic = DEFAULT_PASSWORD_SETTINGS;
const parts = classic.complexity;

const consecutive: Shape<number> = {
  ...number(parts.maxConsecutiveCharacters, MAXIMUM_PASSWORD_CHARACTERS, 1),
  write: (stored) => (stored === 0 ? undefined : stored),
};

const complexity = object({
  minLength: number(parts.minLength, MAXIMUM_PASSWORD_CHARACTERS, 4),
  minLowerCase: number(parts.minLowerCase, 10),
  minUpperCase: number(parts.minUpperCase, 10),
  minNumber: number(parts.minNumber, 10),
  minSymbol: number(parts.minSymbol, 10),
  excludeUsername: flag(parts.excludeUsername),
  dictionary: object({ common: object({ exclude: flag(false) }) }),
  excludeAttributes: list(choice(['firstName', 'lastName']), { maximum: 2 }),
  maxConsecutiveCharacters: consecutive,
  oelStatement: notYet,
});

const age = mapped(
  object({
    maxAgeDays: number(classic.age.maxAgeDays, MAXIMUM_DAYS),
    expireWarnDays: number(classic.age.expireWarnDays, MAXIMUM_DAYS),
    minAgeMinutes: number(classic.age.minAgeMinutes, MAXIMUM_MINUTES),
    historyCount: number(classic.age.historyCount, MAXIMUM_HISTORY),
  }),
  (given, place) => {
    const { expireWarnDays, maxAgeDays, minAgeMinutes } = given;
    if (maxAgeDays > 0 && expireWarnDays > maxAgeDays) {
      throw invalid(`${place}.expireWarnDays`, 'must be at most maxAgeDays.');
    }
    if (maxAgeDays > 0 && minAgeMinutes >= maxAgeDays * 24 * 60) {
      throw invalid(`${place}.minAgeMinutes`, 'must let a password be changed before it expires.');
    }
    return given;
  },
  (kept) => kept,
);

const lockout = object({
  maxAttempts: number(classic.lockout.maxAttempts, MAXIMUM_ATTEMPTS),
  autoUnlockMinutes: number(classic.lockout.autoUnlockMinutes, MAXIMUM_MINUTES),
  userLockoutNotificationChannels: list(choice(['EMAIL']), { maximum: 1 }),
  showLockoutFailures: flag(classic.lockout.showLockoutFailures),
});

/** This service has no list of breached passwords. */
const breachedProtection = object({
  expireAfterDays: neutralNull([null]),
  logoutEnabled: neutralNull([false, null], false),
  delegatedWorkflowId: neutralNull([null]),
});

const status = (otherwise: boolean): Shape<boolean> =>
  mapped(
    choice(['ACTIVE', 'INACTIVE'], otherwise ? 'ACTIVE' : 'INACTIVE'),
    (word) => word === 'ACTIVE',
    (isActive) => (isActive ? 'ACTIVE' : 'INACTIVE'),
  );

const { email, question } = classic.recovery;

const factors = object({
  recovery_question: object({
    status: status(question.isActive),
    properties: object({ complexity: object({ minLength: number(question.minLength, 100, 1) }) }),
  }),
  '{word}_email': object({
    status: status(email.isActive),
    properties: object({
      recoveryToken: object({ tokenLifetimeMinutes: number(email.tokenLifetimeMinutes, MAXIMUM_TOKEN_MINUTES, 1) }),
    }),
  }),
  '{word}_sms': object({ status: status(false) }),
  '{word}_call': object({ status: status(false) }),
});

const recovery = mapped(
  object({ factors }),
  ({ factors: given }): PasswordSettings['recovery'] => ({
    question: {
      isActive: given.recovery_question.status,
      minLength: given.recovery_question.properties.complexity.minLength,
    },
    email: {
      isActive: given['{word}_email'].status,
      tokenLifetimeMinutes: given['{word}_email'].properties.recoveryToken.tokenLifetimeMinutes,
    },
    sms: { isActive: given['{word}_sms'].status },
    call: { isActive: given['{word}_call'].status },
  }),
  ({ call, email: mail, question: asked, sms }) => ({
    factors: {
      recovery_question: { status: asked.isActive, properties: { complexity: { minLength: asked.minLength } } },
      '{word}_email': {
        status: mail.isActive,
        properties: { recoveryToken: { tokenLifetimeMinutes: mail.tokenLifetimeMinutes } },
      },
      '{word}_sms': { status: sms.isActive },
      '{word}_call': { status: call.isActive },
    },
  }),
);

/** Omitted members get the classic values. */
export const passwordSettings: Shape<PasswordSettings> = mapped(
  object({
    password: object({ complexity, age, lockout, breachedProtection }),
    recovery,
    delegation: object({ options: object({ skipUnlock: flag(false) }) }),
  }),
  ({ delegation, password, recovery: given }): PasswordSettings => {
    const { oelStatement: _, ...rest } = password.complexity;
    const { options } = delegation;
    return { complexity: rest, age: password.age, lockout: password.lockout, recovery: given, delegation: options };
  },
  (settings) => ({
    password: {
      complexity: { ...settings.complexity, oelStatement: undefined },
      age: settings.age,
      lockout: settings.lockout,
      breachedProtection: { expireAfterDays: undefined, logoutEnabled: undefined, delegatedWorkflowId: undefined },
    },
    recovery: settings.recovery,
    delegation: { options: settings.delegation },
  }),
);
