import { createHash, randomInt } from 'node:crypto';
import { pooledRandomText } from '../random.ts';

export type OrgId = string & { readonly __brand: 'OrgId' };

/** Brands a string as an org's id. Never call this function on request input. */
export const toOrgId = (id: string): OrgId => id as OrgId;

/**
 * The internal id of an app. A plain string is accepted as either an `AppId` or a `ClientId`, but neither is accepted
 * as the other.
 */
export type AppId = string & { readonly __kind?: 'AppId' };

/**
 * The name of an OAuth client in requests, tokens and events. It may differ from the id of the client's app (ADR 0062).
 */
export type ClientId = string & { readonly __kind?: 'ClientId' };

export const MAXIMUM_CLIENT_ID_LENGTH = 100;
const CALLED = /^[\w.-]{1,100}$/;

export const mayBeClientId = (text: string): text is ClientId => CALLED.test(text);

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The 3-character prefixes of ids, by resource (contract section 2). */
export const ID_PREFIXES = {
  org: '00o',
  user: '00u',
  group: '00g',
  groupRule: '0pr',
  apiToken: '00T',
  trustedOrigin: 'tos',
  userType: 'oty',
  profileMapping: 'prm',
  schema: 'osc',
  roleAssignment: 'ra1',
  groupRoleAssignment: 'gra',
  customRole: 'cr0',
  resourceSet: 'iam',
  resourceSetResource: 'ire',
  bindingMember: 'irb',
  app: '0oa',
  appUser: '0ua',
  appKey: 'pks',
  appLogo: 'fs0',
  clientSecret: 'ocs',
  grant: 'oag',
  absentUserApproval: 'aua',
  refreshToken: 'oar',
  questionFactor: 'ufs',
  codeFactor: 'ost',
  mailFactor: 'emf',
  zone: 'nzo',
  identityProvider: '0oa',
  policy: '00p',
  policyRule: '0pr',
  newerPolicy: 'rst',
  newerPolicyRule: 'rul',
  authorizationServer: 'aus',
  authorizationServerScope: 'scp',
  authorizationServerClaim: 'ocl',
  behavior: 'bhv',
  eventHook: 'who',
  logStream: '0oa',
  feature: 'ftr',
  brand: 'bnd',
  theme: 'the',
  emailCustomization: 'oel',
} as const;
export type IdKind = keyof typeof ID_PREFIXES;

const PREFIXES: ReadonlySet<string> = new Set(Object.values(ID_PREFIXES));
const ID_FORM = /^[0-9A-Za-z]{20}$/;

export const isIdLike = (text: string): boolean => ID_FORM.test(text) && PREFIXES.has(text.slice(0, 3));

/** Makes a string of random characters from `[0-9A-Za-z]`, without modulo bias. */
export function randomAlphanumeric(length: number): string {
  let text = '';
  for (let index = 0; index < length; index += 1) text += ALPHABET[randomInt(ALPHABET.length)];
  return text;
}

/** Makes an id: the prefix, 14 random characters, and the org's suffix of 3 characters. */
export function newId(kind: IdKind, orgSuffix: string): string {
  return ID_PREFIXES[kind] + randomAlphanumeric(14) + orgSuffix;
}

/** Derives an id that depends only on the kind, the org and the name. */
export function derivedId(kind: IdKind, orgId: OrgId, name: string): string {
  const digest = createHash('sha256').update(`${orgId}:${name}`).digest();
  const characters = Array.from(digest.subarray(0, 14), (byte) => ALPHABET[byte % ALPHABET.length] ?? '');
  return ID_PREFIXES[kind] + characters.join('') + orgSuffixOf(orgId);
}

const TIME_CHARACTERS = 7;
const ORDINAL_CHARACTERS = 2;
const RANDOM_CHARACTERS = 5;

/** Writes a whole number in base 62 with leading zeros, so that higher numbers sort later by code point. */
function ordered(number: number, length: number): string {
  let text = '';
  for (let rest = number; text.length < length; rest = Math.floor(rest / ALPHABET.length)) {
    text = (ALPHABET[rest % ALPHABET.length] ?? '') + text;
  }
  return text;
}

/** Returns a function that makes ids in rising order, so that rows stored together are neighbours in indexes. */
export function risingIds(kind: IdKind, orgSuffix: string, now: Date): () => string {
  let time = now.getTime();
  let ordinal = 0;
  return () => {
    if (ordinal === ALPHABET.length ** ORDINAL_CHARACTERS) {
      ordinal = 0;
      time += 1;
    }
    const place = ordered(time, TIME_CHARACTERS) + ordered(ordinal, ORDINAL_CHARACTERS);
    ordinal += 1;
    return ID_PREFIXES[kind] + place + randomAlphanumeric(RANDOM_CHARACTERS) + orgSuffix;
  };
}

export const orgSuffixOf = (orgId: OrgId): string => orgId.slice(-3);

const RANDOM_ID_CHARACTERS = 22;

export const newRequestId = (): string => `req${pooledRandomText(RANDOM_ID_CHARACTERS)}`;

export const newErrorId = (): string => `oae${pooledRandomText(RANDOM_ID_CHARACTERS)}`;
