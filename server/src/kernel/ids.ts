import { randomBytes, randomInt } from 'node:crypto';

/** An org's id. Branded: only host resolution, org creation and a row that was read make one (design: tenancy). */
export type OrgId = string & { readonly __brand: 'OrgId' };

/** Brands an id that came from an org row. Never call it on request input. */
export const toOrgId = (id: string): OrgId => id as OrgId;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 3-character prefixes per resource: contract section 2. */
export const ID_PREFIXES = {
  org: '00o',
  user: '00u',
  apiToken: '00T',
  trustedOrigin: 'tos',
  userType: 'oty',
  schema: 'osc',
  roleAssignment: 'ra1',
  app: '0oa',
  appKey: 'pks',
  clientSecret: 'ocs',
  grant: 'oag',
  zone: 'nzo',
  identityProvider: '0oa',
  policy: '00p',
  policyRule: '0pr',
  eventHook: 'who',
  logStream: '0oa',
} as const;
export type IdKind = keyof typeof ID_PREFIXES;

/** Random characters of `[0-9A-Za-z]`, without modulo bias. */
export function randomAlphanumeric(length: number): string {
  let text = '';
  for (let index = 0; index < length; index += 1) text += ALPHABET[randomInt(ALPHABET.length)];
  return text;
}

/** A 20-character id: prefix, 14 random characters, and the 3-character suffix that all ids of one org share. */
export function newId(kind: IdKind, orgSuffix: string): string {
  return ID_PREFIXES[kind] + randomAlphanumeric(14) + orgSuffix;
}

/** The suffix which an org id ends with, shared by all ids of that org. */
export const orgSuffixOf = (orgId: OrgId): string => orgId.slice(-3);

/** Request id = transaction id of the events it causes: `req` and 22 url-safe characters (contract section 2). */
export const newRequestId = (): string => `req${randomBytes(17).toString('base64url').slice(0, 22)}`;

/** Identifies an error in an answer and in the server's log: `oae` and 22 url-safe characters. */
export const newErrorId = (): string => `oae${randomBytes(17).toString('base64url').slice(0, 22)}`;
