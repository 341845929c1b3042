import type { PolicyType } from '../../server/src/management/policies/types/type-rules.ts';

interface Feature {
  readonly name: string;
  readonly reason: string;
}

export const FEATURES = {
  factors: {
    name: 'Second factors and authenticators',
    reason:
      'Policies can ask for one-time codes and security questions at each sign-in (`requireFactor`). There are no ' +
      'passkeys, remembered devices or authenticator policies yet, and `acr_values` cannot ask for two factors.',
  },
  devices: {
    name: 'Devices',
    reason: 'Devices cannot be enrolled or evaluated yet. The known browsers of a user can be reset.',
  },
  telephone: {
    name: 'Text messages and calls',
    reason: 'Gatehouse sends no text messages and makes no calls; it sends mail only.',
  },
  federation: {
    name: 'Sign-in with other identity providers (SAML, OpenID Connect, social, certificates)',
    reason: 'Identity providers can be stored and used in routing rules, but nobody can sign in with one yet.',
  },
  saml: {
    name: 'Sign-in to apps with SAML, WS-Federation or a stored password',
    reason:
      'Such apps can be stored, with keys and metadata, but people can sign in only to OpenID Connect and OAuth apps.',
  },
  federatedClaims: {
    name: 'Federated claims of apps',
    reason: 'Claims come from authorization servers and profile mappings; federated claims of an app are not built.',
  },
  ldap: {
    name: 'LDAP, Active Directory and other sources of people',
    reason:
      'There is no agent, no LDAP interface and no identity source session. Create users with the API or from a file.',
  },
  provisioning: {
    name: 'SCIM and provisioning of apps',
    reason: 'Connections are stored, but Gatehouse does not contact the app. There is no SCIM server either.',
  },
  inlineHooks: {
    name: 'Inline hooks',
    reason: 'Gatehouse does not call other services while it processes a request. Event hooks notify them afterwards.',
  },
  sharedSignals: {
    name: 'Shared signals',
    reason: 'Gatehouse neither sends nor receives risk signals. Sessions and tokens can be ended with the API.',
  },
  governance: {
    name: 'Governance (requests, campaigns, entitlements; version 1 and 2)',
    reason: 'Gatehouse grants access by groups, assignments and roles. It has no access requests or reviews.',
  },
  privileged: {
    name: 'Privileged access',
    reason: 'Gatehouse does not store or rotate accounts of other systems.',
  },
  realms: {
    name: 'Realms',
    reason: 'Users of an org cannot be divided into realms. Create another org to separate them.',
  },
  myAccount: {
    name: 'The account API',
    reason: 'Users change their own data on the account pages. There is no API for this other than the users API.',
  },
  directGrants: {
    name: 'Direct authentication grants',
    reason: 'Clients cannot ask for factors without a browser yet. OPTIONS is answered only as a CORS preflight.',
  },
  crossApp: {
    name: 'Trust between apps',
    reason: 'Apps cannot be connected with one another. Token exchange follows the policies of authorization servers.',
  },
  encryption: {
    name: 'Encrypted tokens',
    reason: 'Tokens are signed but not encrypted, so resource servers and clients cannot register encryption keys.',
  },
  brands: {
    name: 'Several brands, and custom pages',
    reason: 'An org has one brand, whose theme and mails can be changed. Pages and forms cannot be replaced.',
  },
  domains: {
    name: 'Custom domains and mail servers by the API',
    reason:
      'Operators add custom domains with `gatehouse org domain add`. All orgs use the mail server of the installation.',
  },
  protection: {
    name: 'Bot protection and risk evaluation',
    reason:
      'Lockout, rate limits and network zones protect sign-ins. There is no reputation check, risk level or CAPTCHA.',
  },
  console: {
    name: 'Admin console',
    reason: 'Administrators use the API and the command line. The pages are for users who sign in.',
  },
  orgSettings: {
    name: 'Contacts, notifications and preferences of an org',
    reason: 'They would have no effect: Gatehouse sends no notices to contacts, and no vendor has support access.',
  },
  rateLimits: {
    name: 'Rate limits by the API',
    reason: 'Operators set them with `gatehouse org set`.',
  },
  integrations: {
    name: 'A catalogue of integrations',
    reason: 'There is no catalogue of services, and there are no first-party apps whose settings could be changed.',
  },
  operator: {
    name: 'Orgs and failover by the API',
    reason: 'Both are tasks of the operator, who creates orgs with `gatehouse org create`.',
  },
} as const satisfies Readonly<Record<string, Feature>>;

export type FeatureKey = keyof typeof FEATURES;

/** The decisions that policies of these types would make if they were evaluated. */
export const UNASKED_POLICIES: Readonly<Partial<Record<PolicyType, string>>> = {
  MFA_ENROLL: 'It would decide which second factors users may enroll; a sign-in lets them enroll an authenticator app.',
  PROFILE_ENROLLMENT: 'It would decide who may sign up, and with which attributes; there is no such page.',
  POST_AUTH_SESSION: 'It would decide about a session whose context changes; sessions are not evaluated again.',
  ENTITY_RISK: 'It would decide what happens when the risk of a user changes; risk is not evaluated.',
  SESSION_VIOLATION_DETECTION: 'It would decide when a session counts as violated; nothing checks this.',
  DEVICE_SIGNAL_COLLECTION: 'It would decide which signals devices send; none are collected.',
  CLIENT_UPDATE: 'It would decide when software on devices is updated; there is none.',
  IDENTITY_CLAIM_SOURCING: 'It would decide where the claims of a sign-in come from; users sign in at the org itself.',
};
