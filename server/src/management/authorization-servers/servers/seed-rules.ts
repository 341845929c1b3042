import type { ClaimValues } from '../claims/claim-rules.ts';
import { ALL_CLIENTS, ANY_SCOPE, EVERYONE } from '../policies/policy-rules.ts';
import type { PolicyValues, RuleValues } from '../rules/rule-document-rules.ts';
import type { ScopeValues } from '../scopes/scope-rules.ts';
import type { ServerValues } from './server-rules.ts';

const scope = (name: string, displayName: string, description: string): ScopeValues => ({
  name,
  displayName,
  description,
  metadataPublish: 'ALL_CLIENTS',
  consent: 'IMPLICIT',
  isOptional: false,
  isDefault: false,
});

/** The scopes of contract section 18, and of OpenID Connect Core 5.4 and 11. */
export const SYSTEM_SCOPES: readonly ScopeValues[] = [
  scope('openid', 'Sign you in', 'Asks for an ID token: who signed in, and when'),
  scope('profile', 'See your profile', 'Names, picture, language, time zone and the like'),
  scope('email', 'See your email address', 'The email address, and whether it was verified'),
  scope('address', 'See your postal address', 'The postal address'),
  scope('phone', 'See your phone number', 'The phone number'),
  scope('offline_access', 'Stay signed in', 'Asks for a refresh token: access while nobody is at the app'),
  scope('device_sso', 'Sign you in to other apps of this device', 'Asks for a secret that apps of one device share'),
];

const identity = (scopeName: string, names: string): ClaimValues[] =>
  names.split(' ').map((name) => ({
    name,
    status: 'ACTIVE',
    claimType: 'IDENTITY',
    valueType: 'SYSTEM',
    value: null,
    groupFilterType: null,
    scopes: [scopeName],
    alwaysInclude: false,
  }));

const PROFILE =
  'name family_name given_name middle_name nickname preferred_username profile picture website gender birthdate ' +
  'zoneinfo locale updated_at';

/** The subject of access tokens, and claims of OpenID Connect Core 5.1. */
export const SYSTEM_CLAIMS: readonly ClaimValues[] = [
  {
    name: 'sub',
    status: 'ACTIVE',
    claimType: 'RESOURCE',
    valueType: 'SYSTEM',
    value: '(appuser != null) ? appuser.userName : app.clientId',
    groupFilterType: null,
    scopes: [],
    alwaysInclude: true,
  },
  ...identity('profile', PROFILE),
  ...identity('email', 'email email_verified'),
  ...identity('address', 'address'),
  ...identity('phone', 'phone_number'),
];

export const DEFAULT_SERVER: ServerValues = {
  name: 'default',
  description: 'Default authorization server of the org',
  audiences: ['api://default'],
  issuerMode: 'DYNAMIC',
  rotationMode: 'AUTO',
};

/** Only the default server is created with a policy and a rule. */
export const DEFAULT_POLICY: PolicyValues = {
  name: 'Default Policy',
  description: 'For all clients',
  clients: [ALL_CLIENTS],
};

export const DEFAULT_RULE: RuleValues = {
  name: 'Default Policy Rule',
  conditions: {
    people: { users: { include: [], exclude: [] }, groups: { include: [EVERYONE], exclude: [] } },
    grantTypes: { include: ['authorization_code', 'implicit', 'client_credentials', 'password'] },
    scopes: { include: [ANY_SCOPE] },
  },
  accessTokenLifetimeMinutes: 60,
  refreshTokenLifetimeMinutes: 0,
  refreshTokenWindowMinutes: 10_080,
};
