import { type NetworkCondition, readNetwork, wireNetwork } from './network-rules.ts';
import {
  isAbsent,
  type Members,
  readChoice,
  readFlag,
  readIds,
  readInteger,
  readItems,
  readMembers,
  unsupported,
} from './shape-rules.ts';

const PRIMARY_FACTORS = ['PASSWORD_IDP_ANY_FACTOR', 'PASSWORD_IDP'] as const;
const MAXIMUM_USERS = 100;
const MAXIMUM_MINUTES = 525_600;

/** When a sign-on rule applies (contract section 13). */
export interface SignOnConditions {
  /** Empty `include`: everyone. */
  readonly users: { readonly include: readonly string[]; readonly exclude: readonly string[] };
  readonly network: NetworkCondition;
  /** INTERNAL: signed in at this org itself, as everyone is until other providers can sign in. */
  readonly provider: 'ANY' | 'INTERNAL';
}

export interface SignOnActions {
  readonly access: 'ALLOW' | 'DENY';
  readonly primaryFactor: (typeof PRIMARY_FACTORS)[number];
  readonly idleMinutes: number;
  /** 0: unlimited. */
  readonly lifetimeMinutes: number;
  readonly usePersistentCookie: boolean;
}

export const DEFAULT_SIGN_ON_CONDITIONS: SignOnConditions = {
  users: { include: [], exclude: [] },
  network: { connection: 'ANYWHERE', include: [], exclude: [] },
  provider: 'ANY',
};

export const DEFAULT_SIGN_ON_ACTIONS: SignOnActions = {
  access: 'ALLOW',
  primaryFactor: 'PASSWORD_IDP_ANY_FACTOR',
  idleMinutes: 120,
  lifetimeMinutes: 0,
  usePersistentCookie: false,
};

function readUsers(value: unknown): SignOnConditions['users'] {
  const place = 'conditions.people.users';
  const people = readMembers('conditions.people', value, ['users', 'groups']);
  const groups = readMembers('conditions.people.groups', people['groups'], ['include', 'exclude']);
  for (const name of ['include', 'exclude']) {
    const groupPlace = `conditions.people.groups.${name}`;
    if (readItems(groupPlace, groups[name], MAXIMUM_USERS).length > 0) throw unsupported(groupPlace);
  }
  const users = readMembers(place, people['users'], ['include', 'exclude']);
  return {
    include: readIds(`${place}.include`, users['include'], MAXIMUM_USERS),
    exclude: readIds(`${place}.exclude`, users['exclude'], MAXIMUM_USERS),
  };
}

function readProvider(value: unknown, upperWord: string): SignOnConditions['provider'] {
  const place = 'conditions.identityProvider';
  const condition = readMembers(place, value, ['provider', 'idpIds']);
  const known = ['ANY', upperWord, 'SPECIFIC_IDP'];
  const provider = readChoice(`${place}.provider`, condition['provider'], known, 'ANY');
  const named = readItems(`${place}.idpIds`, condition['idpIds'], MAXIMUM_USERS);
  if (provider === 'SPECIFIC_IDP' || named.length > 0) throw unsupported(`${place}.idpIds`);
  return provider === upperWord ? 'INTERNAL' : 'ANY';
}

/** What can be said of risk and entry points, but only its neutral value holds yet. */
function refuseUnsupported(conditions: Members): void {
  const authContext = readMembers('conditions.authContext', conditions['authContext'], ['authType']);
  const authTypes = ['ANY', 'LDAP_INTERFACE', 'RADIUS'];
  const authType = readChoice('conditions.authContext.authType', authContext['authType'], authTypes, 'ANY');
  if (authType !== 'ANY') throw unsupported('conditions.authContext.authType');
  const riskScore = readMembers('conditions.riskScore', conditions['riskScore'], ['level']);
  const levels = ['ANY', 'LOW', 'MEDIUM', 'HIGH'];
  const level = readChoice('conditions.riskScore.level', riskScore['level'], levels, 'ANY');
  if (level !== 'ANY') throw unsupported('conditions.riskScore.level');
  const risk = readMembers('conditions.risk', conditions['risk'], ['behaviors']);
  const behaviors = readItems('conditions.risk.behaviors', risk['behaviors'], MAXIMUM_USERS);
  if (behaviors.length > 0) throw unsupported('conditions.risk.behaviors');
}

/** Reads the conditions of a sign-on rule. 400 E0000001 for what is wrong and for what can't be kept yet. */
export function readSignOnConditions(value: unknown, upperWord: string): SignOnConditions {
  const known = ['people', 'network', 'authContext', 'identityProvider', 'riskScore', 'risk'];
  const conditions = readMembers('conditions', value, known);
  refuseUnsupported(conditions);
  return {
    users: readUsers(conditions['people']),
    network: readNetwork(conditions['network']),
    provider: readProvider(conditions['identityProvider'], upperWord),
  };
}

const SIGN_ON_MEMBERS = [
  'access',
  'requireFactor',
  'factorPromptMode',
  'factorLifetime',
  'rememberDeviceByDefault',
  'primaryFactor',
  'session',
];

function refuseFactors(signOn: Members): void {
  for (const name of ['requireFactor', 'rememberDeviceByDefault']) {
    if (readFlag(`actions.signon.${name}`, signOn[name], false)) throw unsupported(`actions.signon.${name}`);
  }
  for (const name of ['factorPromptMode', 'factorLifetime']) {
    if (!isAbsent(signOn[name])) throw unsupported(`actions.signon.${name}`);
  }
}

/** Reads `actions.signon`, whose `access` is required. 400 E0000001. */
export function readSignOnActions(value: unknown): SignOnActions {
  const actions = readMembers('actions', value, ['signon']);
  const signOn = readMembers('actions.signon', actions['signon'], SIGN_ON_MEMBERS);
  refuseFactors(signOn);
  const place = 'actions.signon.session';
  const minutes = ['maxSessionIdleMinutes', 'maxSessionLifetimeMinutes'] as const;
  const session = readMembers(place, signOn['session'], [...minutes, 'usePersistentCookie']);
  const { primaryFactor, idleMinutes, lifetimeMinutes, usePersistentCookie } = DEFAULT_SIGN_ON_ACTIONS;
  const limit = (name: (typeof minutes)[number], minimum: number, otherwise: number) =>
    readInteger(`${place}.${name}`, session[name], { minimum, maximum: MAXIMUM_MINUTES, otherwise });
  return {
    access: readChoice('actions.signon.access', signOn['access'], ['ALLOW', 'DENY'], null),
    primaryFactor: readChoice('actions.signon.primaryFactor', signOn['primaryFactor'], PRIMARY_FACTORS, primaryFactor),
    idleMinutes: limit('maxSessionIdleMinutes', 1, idleMinutes),
    lifetimeMinutes: limit('maxSessionLifetimeMinutes', 0, lifetimeMinutes),
    usePersistentCookie: readFlag(`${place}.usePersistentCookie`, session['usePersistentCookie'], usePersistentCookie),
  };
}

export function wireSignOnConditions({ users, network, provider }: SignOnConditions, upperWord: string): Members {
  const { include, exclude } = users;
  return {
    people: { users: include.length > 0 ? { include, exclude } : { exclude } },
    network: wireNetwork(network),
    authContext: { authType: 'ANY' },
    identityProvider: { provider: provider === 'INTERNAL' ? upperWord : 'ANY' },
  };
}

export const wireSignOnActions = (actions: SignOnActions): Members => ({
  signon: {
    access: actions.access,
    requireFactor: false,
    primaryFactor: actions.primaryFactor,
    rememberDeviceByDefault: false,
    session: {
      usePersistentCookie: actions.usePersistentCookie,
      maxSessionIdleMinutes: actions.idleMinutes,
      maxSessionLifetimeMinutes: actions.lifetimeMinutes,
    },
  },
});
