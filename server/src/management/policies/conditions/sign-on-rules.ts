import { invalid } from '../../../kernel/errors/errors.ts';
import { unsupported } from '../../../kernel/words/members.ts';
import {
  choice,
  flag,
  hidden,
  integer,
  mapped,
  neutralOnly,
  notYet,
  object,
  optional,
  type Shape,
  withoutChoice,
  worded,
} from '../types/document-rules.ts';
import { ANYWHERE, type NetworkCondition, networkShape } from './network-rules.ts';
import { type IdChoices, NO_CHOICE, peopleShape } from './people-rules.ts';

const PRIMARY_FACTORS = ['PASSWORD_IDP_ANY_FACTOR', 'PASSWORD_IDP'] as const;
const MAXIMUM_MINUTES = 525_600;

export type SignOnAccess = 'ALLOW' | 'DENY' | 'CHALLENGE';

export interface SignOnConditions {
  readonly users: IdChoices;
  /** Rules that were created before groups existed have no groups, and apply regardless of groups. */
  readonly groups?: IdChoices;
  readonly network: NetworkCondition;
  /** INTERNAL means that the user signed in with this org itself. */
  readonly provider: 'ANY' | 'INTERNAL';
}

export interface SignOnActions {
  /**
   * With CHALLENGE, a password needs a second factor beside it, on which the API shows ALLOW and `requireFactor`.
   * Versions without second factors admit nobody by a word that they do not know.
   */
  readonly access: SignOnAccess;
  readonly primaryFactor: (typeof PRIMARY_FACTORS)[number];
  readonly idleMinutes: number;
  /** The lifetime of sessions; 0 means unlimited. */
  readonly lifetimeMinutes: number;
  readonly usePersistentCookie: boolean;
}

export const DEFAULT_SIGN_ON_CONDITIONS: SignOnConditions = {
  users: NO_CHOICE,
  groups: NO_CHOICE,
  network: ANYWHERE,
  provider: 'ANY',
};

export const DEFAULT_SIGN_ON_ACTIONS: SignOnActions = {
  access: 'ALLOW',
  primaryFactor: 'PASSWORD_IDP_ANY_FACTOR',
  idleMinutes: 120,
  lifetimeMinutes: 0,
  usePersistentCookie: false,
};

const provider = mapped(
  object({ provider: choice(['ANY', '{WORD}', 'SPECIFIC_IDP'], 'ANY'), idpIds: notYet }),
  ({ provider: given }, place): SignOnConditions['provider'] => {
    if (given === 'SPECIFIC_IDP') throw unsupported(`${place}.idpIds`);
    return given === 'ANY' ? 'ANY' : 'INTERNAL';
  },
  (kept) => ({ provider: kept === 'INTERNAL' ? ('{WORD}' as const) : ('ANY' as const), idpIds: undefined }),
);

export const signOnConditions: Shape<SignOnConditions> = mapped(
  object({
    people: peopleShape,
    network: networkShape,
    authContext: object({ authType: neutralOnly(['ANY', 'LDAP_INTERFACE', 'RADIUS'], 'ANY') }),
    identityProvider: provider,
    riskScore: hidden(object({ level: neutralOnly(['ANY', 'LOW', 'MEDIUM', 'HIGH'], 'ANY') })),
    risk: hidden(object({ behaviors: notYet })),
  }),
  ({ identityProvider, network, people }): SignOnConditions => ({ ...people, network, provider: identityProvider }),
  ({ groups = NO_CHOICE, network, provider: identityProvider, users }) => ({
    people: { users, groups },
    network,
    authContext: { authType: undefined },
    identityProvider,
    riskScore: { level: undefined },
    risk: { behaviors: undefined },
  }),
);

const { idleMinutes, lifetimeMinutes, primaryFactor, usePersistentCookie } = DEFAULT_SIGN_ON_ACTIONS;

const PROMPT_MODES = ['ALWAYS', 'DEVICE', 'SESSION'] as const;
/** A second factor is asked for at each sign-in: no device or session is remembered as having proved one. */
const PROMPT = { factorPromptMode: 'ALWAYS', factorLifetime: 15 } as const;

function accessOf(access: 'ALLOW' | 'DENY', requiresFactor: boolean, place: string): SignOnAccess {
  if (!requiresFactor) return access;
  if (access === 'DENY') throw invalid(`${place}.signon.requireFactor`, 'must be false if access is DENY.');
  return 'CHALLENGE';
}

const shownAccess = (access: SignOnAccess): 'ALLOW' | 'DENY' => (access === 'DENY' ? 'DENY' : 'ALLOW');

export const signOnActions: Shape<SignOnActions> = mapped(
  object({
    signon: object({
      access: choice(['ALLOW', 'DENY']),
      requireFactor: worded(flag(false)),
      factorPromptMode: withoutChoice(optional(choice(PROMPT_MODES))),
      factorLifetime: withoutChoice(optional(integer({ minimum: 1, maximum: MAXIMUM_MINUTES, otherwise: null }))),
      primaryFactor: choice(PRIMARY_FACTORS, primaryFactor),
      rememberDeviceByDefault: worded(neutralOnly([false, true], false)),
      session: object({
        usePersistentCookie: worded(flag(usePersistentCookie)),
        maxSessionIdleMinutes: integer({ minimum: 1, maximum: MAXIMUM_MINUTES, otherwise: idleMinutes }),
        maxSessionLifetimeMinutes: integer({ minimum: 0, maximum: MAXIMUM_MINUTES, otherwise: lifetimeMinutes }),
      }),
    }),
  }),
  ({ signon }, place) => {
    const { access, primaryFactor: factor, requireFactor, session } = signon;
    for (const [name, accepted] of Object.entries(PROMPT)) {
      const given = signon[name as keyof typeof PROMPT];
      if (given !== undefined && given !== accepted) throw unsupported(`${place}.signon.${name}`);
    }
    return {
      access: accessOf(access, requireFactor, place),
      primaryFactor: factor,
      idleMinutes: session.maxSessionIdleMinutes,
      lifetimeMinutes: session.maxSessionLifetimeMinutes,
      usePersistentCookie: session.usePersistentCookie,
    };
  },
  (actions) => ({
    signon: {
      access: shownAccess(actions.access),
      requireFactor: actions.access === 'CHALLENGE',
      ...(actions.access === 'CHALLENGE' ? PROMPT : { factorPromptMode: undefined, factorLifetime: undefined }),
      primaryFactor: actions.primaryFactor,
      rememberDeviceByDefault: undefined,
      session: {
        usePersistentCookie: actions.usePersistentCookie,
        maxSessionIdleMinutes: actions.idleMinutes,
        maxSessionLifetimeMinutes: actions.lifetimeMinutes,
      },
    },
  }),
);
