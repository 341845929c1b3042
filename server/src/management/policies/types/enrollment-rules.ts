import { invalid } from '../../../kernel/errors/errors.ts';
import { networkShape } from '../conditions/network-rules.ts';
import { peopleShape } from '../conditions/people-rules.ts';
import {
  choice,
  flag,
  hidden,
  integer,
  list,
  mapped,
  notYet,
  nullable,
  object,
  oneOf,
  optional,
  reference,
  references,
  type Shape,
  text,
} from './document-rules.ts';

const MAXIMUM_ITEMS = 100;

const SELF = ['NOT_ALLOWED', 'OPTIONAL', 'REQUIRED'] as const;

/** The values that the contract allows (OpenAPI AuthenticatorEnrollmentPolicyAuthenticatorType). */
const AUTHENTICATORS = [
  'custom_app',
  'custom_otp',
  'duo',
  'external_idp',
  'google_otp',
  '{word}_email',
  '{word}_password',
  '{word}_verify',
  'onprem_mfa',
  'phone_number',
  'rsa_token',
  'security_question',
  'symantec_vip',
  'webauthn',
  'yubikey_token',
] as const;

/** The keys of `factors` in settings of the type FACTORS, which is older than AUTHENTICATORS (contract section 13). */
const FACTORS = [
  'duo',
  'fido_u2f',
  'fido_webauthn',
  'google_otp',
  'hotp',
  '{word}_call',
  '{word}_email',
  '{word}_otp',
  '{word}_password',
  '{word}_push',
  '{word}_question',
  '{word}_sms',
  '{word}_verify',
  'rsa_token',
  'symantec_vip',
  'yubikey_token',
] as const;

const gracePeriod = oneOf('type', {
  BY_DATE_TIME: { expiry: text() },
  BY_SKIP_COUNT: { skipCount: integer({ minimum: 1, maximum: 10, otherwise: 1 }) },
});

const authenticator = object({
  key: choice(AUTHENTICATORS),
  id: optional(text()),
  enroll: object({
    self: choice(SELF, 'NOT_ALLOWED'),
    autoEnroll: optional(flag(true)),
    gracePeriod: optional(gracePeriod),
  }),
  constraints: optional(object({ aaguidGroups: optional(list(text(), { maximum: MAXIMUM_ITEMS })) })),
});

const authenticators = mapped(
  list(authenticator, { minimum: 1, maximum: MAXIMUM_ITEMS }),
  (given, place) => {
    const names = given.map(({ id, key }) => `${key} ${id ?? ''}`);
    if (new Set(names).size < names.length) throw invalid(place, 'must contain each authenticator once.');
    return given;
  },
  (kept) => kept,
);

const factor = object({
  enroll: object({ self: choice(SELF, 'NOT_ALLOWED') }),
  consent: object({ type: choice(['NONE', 'TERMS_OF_SERVICE'], 'NONE') }),
});

export const enrollmentSettings = oneOf(
  'type',
  {
    AUTHENTICATORS: { authenticators },
    FACTORS: { factors: object(Object.fromEntries(FACTORS.map((name) => [name, optional(factor)]))) },
  },
  'FACTORS',
);

const appChoice = oneOf('type', {
  APP: { id: reference('app'), name: hidden(optional(text())) },
  APP_TYPE: { name: text() },
});
const apps = optional(list(appChoice, { maximum: MAXIMUM_ITEMS }));

export const enrollmentConditions = object({
  people: peopleShape,
  network: networkShape,
  app: optional(object({ include: apps, exclude: apps })),
});

export const enrollmentActions = object({
  enroll: object({ self: choice(['CHALLENGE', 'LOGIN', 'NEVER', 'NEVER_INCLUDING_RECOVERY']) }),
});

const profileAttributes = mapped(
  list(object({ name: text(), label: text(), required: flag(false) }), { maximum: MAXIMUM_ITEMS }),
  (given, place) => {
    const names = given.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw invalid(place, `must contain ${twice} once.`);
    return given;
  },
  (kept) => kept,
);

/** The attributes by which a user can be found. The default is the login. */
const identifiers: Shape<readonly string[]> = mapped(
  list(text(), { maximum: 10 }),
  (given) => (given.length === 0 ? ['login'] : [...new Set(given)]),
  (kept) => kept,
);

export const profileEnrollmentActions = object({
  profileEnrollment: object({
    access: choice(['ALLOW', 'DENY'], 'ALLOW'),
    preRegistrationInlineHooks: { ...notYet, write: () => null },
    profileAttributes,
    targetGroupIds: nullable(references('group', 1)),
    unknownUserAction: choice(['DENY', 'REGISTER'], 'DENY'),
    activationRequirements: object({ emailVerification: flag(true) }),
    uiSchemaId: notYet,
    progressiveProfilingAction: choice(['ENABLED', 'DISABLED'], 'DISABLED'),
    allowedIdentifiers: identifiers,
    enrollAuthenticatorTypes: optional(list(choice(['password']), { maximum: 1 })),
  }),
});
