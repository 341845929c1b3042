import { isAbsent, type Members } from '../../../kernel/words/members.ts';
import {
  choice,
  duration,
  flag,
  list,
  notYet,
  object,
  oneOf,
  optional,
  type Shape,
  type StoredOf,
  text,
} from '../types/document-rules.ts';
import { networkShape } from './network-rules.ts';
import { peopleShape, userTypesShape } from './people-rules.ts';
import { accessPlatforms } from './platform-rules.ts';

/** The contract allows at most 5 chains, each of at most 3 steps (OpenAPI AuthenticationMethodChainMethod). */
const MAXIMUM_CHAINS = 5;
const MAXIMUM_STEPS = 3;
const MAXIMUM_ITEMS = 20;

export const accessConditions = object({
  people: peopleShape,
  network: networkShape,
  riskScore: object({ level: choice(['ANY', 'LOW', 'MEDIUM', 'HIGH'], 'ANY') }),
  userType: userTypesShape,
  device: optional(
    object({
      registered: optional(flag(false)),
      managed: optional(flag(false)),
      assurance: optional(object({ include: notYet })),
    }),
  ),
  platform: optional(accessPlatforms),
  elCondition: optional(object({ condition: text(4_096) })),
});
export type AccessConditions = StoredOf<typeof accessConditions>;

const level = (otherwise: 'OPTIONAL' | 'REQUIRED') => choice(['OPTIONAL', 'REQUIRED'], otherwise);
const optionalLevel = optional(level('OPTIONAL'));
const verification = optional(list(choice(['BIOMETRICS', 'PIN']), { maximum: 2 }));

const method = object({ key: text(), id: optional(text()), method: optional(text()) });
const methods = optional(list(method, { maximum: MAXIMUM_ITEMS }));

const METHODS = [
  'PASSWORD',
  'SECURITY_QUESTION',
  'SMS',
  'VOICE',
  'EMAIL',
  'PUSH',
  'SIGNED_NONCE',
  'OTP',
  'TOTP',
  'WEBAUTHN',
  'DUO',
  'IDP',
  'CERT',
] as const;
const TYPES = ['SECURITY_KEY', 'PHONE', 'EMAIL', 'PASSWORD', 'SECURITY_QUESTION', 'APP', 'FEDERATED'] as const;

const constraint = {
  required: optional(flag(false)),
  types: optional(list(choice(TYPES), { maximum: TYPES.length })),
  methods: optional(list(choice(METHODS), { maximum: METHODS.length })),
  authenticationMethods: methods,
  excludedAuthenticationMethods: methods,
  reauthenticateIn: optional(duration(null)),
};

const constraints = object({
  knowledge: optional(object(constraint)),
  possession: optional(
    object({
      ...constraint,
      deviceBound: optionalLevel,
      hardwareProtection: optionalLevel,
      phishingResistant: optionalLevel,
      userPresence: optionalLevel,
      userVerification: optionalLevel,
      userVerificationMethods: verification,
    }),
  ),
});

const chainMethod = object({
  key: text(),
  method: text(),
  id: optional(text()),
  hardwareProtection: optionalLevel,
  phishingResistant: optionalLevel,
  userVerification: optionalLevel,
  userVerificationMethods: verification,
});

interface Chain {
  readonly authenticationMethods: readonly StoredOf<typeof chainMethod>[];
  readonly reauthenticateIn: string | undefined;
  readonly next: readonly Chain[] | undefined;
}

function chain(steps: number): Shape<Chain> {
  const parts = {
    authenticationMethods: list(chainMethod, { minimum: 1, maximum: MAXIMUM_ITEMS }),
    reauthenticateIn: optional(duration(null)),
  };
  const next = steps > 1 ? optional(list(chain(steps - 1), { maximum: MAXIMUM_CHAINS })) : notYet;
  return object({ ...parts, next });
}

const verificationMethod = oneOf(
  'type',
  {
    ASSURANCE: {
      factorMode: choice(['1FA', '2FA'], '2FA'),
      reauthenticateIn: duration('PT12H'),
      inactivityPeriod: optional(duration(null)),
      constraints: optional(list(constraints, { maximum: MAXIMUM_ITEMS })),
    },
    AUTH_METHOD_CHAIN: {
      chains: list(chain(MAXIMUM_STEPS), { minimum: 1, maximum: MAXIMUM_CHAINS }),
      reauthenticateIn: optional(duration(null)),
    },
    ID_PROOFING: { id: optional(text()) },
  },
  'ASSURANCE',
);

const keepMeSignedIn = object({
  postAuth: choice(['ALLOWED', 'NOT_ALLOWED'], 'NOT_ALLOWED'),
  postAuthPromptFrequency: optional(duration(null)),
});

/** If access is denied, the verification method has no effect. */
export const accessActions = object({
  appSignOn: object({
    access: choice(['ALLOW', 'DENY']),
    verificationMethod,
    keepMeSignedIn,
  }),
});
export type AccessActions = StoredOf<typeof accessActions>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Keeps the stored factor mode if the body omits it. The default is two factors, and would turn a one-factor rule into
 * a rule that lets nobody in.
 */
export function keepFactorMode(actions: unknown, { appSignOn: before }: AccessActions): unknown {
  const appSignOn = isObject(actions) ? actions['appSignOn'] : undefined;
  if (!isObject(actions) || !isObject(appSignOn) || before.verificationMethod.type !== 'ASSURANCE') return actions;
  const given = appSignOn['verificationMethod'] ?? {};
  if (!isObject(given) || !isAbsent(given['factorMode']) || (given['type'] ?? 'ASSURANCE') !== 'ASSURANCE') {
    return actions;
  }
  const { factorMode } = before.verificationMethod;
  return { ...actions, appSignOn: { ...appSignOn, verificationMethod: { ...given, factorMode } } };
}
