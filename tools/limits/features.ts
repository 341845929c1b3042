import type { PolicyType } from '../../server/src/management/policies/types/type-rules.ts';

/** A whole that is not there, or not whole. */
interface Feature {
  readonly name: string;
  readonly reason: string;
}

export const FEATURES = {
  factors: {
    name: 'Second factors and authenticators',
    reason: 'Second factors are not built yet: people sign in with a password, and nothing else can be enrolled.',
  },
  devices: {
    name: 'Devices',
    reason: 'Devices are not enrolled or judged yet; those that a browser cookie names can be forgotten.',
  },
  telephone: {
    name: 'Text messages and calls',
    reason: 'Nothing is sent by telephone; all that people are told goes by mail.',
  },
  federation: {
    name: 'Sign-in by other identity providers (SAML, OpenID Connect, social, certificates)',
    reason: 'Providers can be stored and routed to, but nobody can sign in by one yet.',
  },
  saml: {
    name: 'Sign-in to apps by SAML, WS-Federation or a stored password',
    reason: 'Such apps can be stored, with keys and metadata; only OpenID Connect and OAuth sign people in to an app.',
  },
  federatedClaims: {
    name: 'Claims of apps by a list of their own',
    reason: 'Claims are made by authorization servers and profile mappings; federated claims of an app are not built.',
  },
  ldap: {
    name: 'LDAP, Active Directory and other sources of people',
    reason: 'There is no agent, no LDAP interface and no session of an identity source; people come by API or file.',
  },
  provisioning: {
    name: 'SCIM and provisioning of apps',
    reason: 'Connections are stored and nothing asks the app; there is no SCIM server either.',
  },
  inlineHooks: {
    name: 'Inline hooks',
    reason: 'No other program is asked while a request is decided; event hooks tell other programs afterwards.',
  },
  sharedSignals: {
    name: 'Shared signals',
    reason: 'Signals of risk are neither sent to other services nor received; sessions and tokens end by the API.',
  },
  governance: {
    name: 'Governance (requests, campaigns, entitlements; version 1 and 2)',
    reason: 'Gatehouse grants access by groups, assignments and roles, and has no requests or reviews of it.',
  },
  privileged: {
    name: 'Privileged access',
    reason: 'Accounts of other systems are not kept or rotated here.',
  },
  realms: {
    name: 'Realms',
    reason: 'Users of an org are not parted into realms; whoever needs a wall between people makes another org.',
  },
  myAccount: {
    name: 'The API of the own account',
    reason: 'People change what is theirs on the pages of the org; there is no API for it beside the one of users.',
  },
  directGrants: {
    name: 'Direct authentication grants',
    reason:
      'Clients do not ask for factors without a browser yet; a plain OPTIONS is answered only as a CORS preflight.',
  },
  crossApp: {
    name: 'Trust between apps',
    reason: 'Apps are not connected with one another; a token is exchanged by the policies of authorization servers.',
  },
  encryption: {
    name: 'Encrypted tokens',
    reason: 'Tokens are signed and not encrypted, so that resource servers and clients have no keys for that.',
  },
  brands: {
    name: 'More than one brand, and pages of your own',
    reason: 'An org has one brand, of which theme and mails can be changed; whole pages and forms can not.',
  },
  domains: {
    name: 'Domains and mail servers of an org',
    reason: 'Orgs live below the base domain and send by the mail server of the installation.',
  },
  protection: {
    name: 'Protection from bots and judgements of risk',
    reason: 'Lockout, rate limits and network zones protect sign-ins; no reputation, risk level or CAPTCHA is asked.',
  },
  console: {
    name: 'Admin console',
    reason: 'Administration is by API and command line; pages are for those who sign in.',
  },
  orgSettings: {
    name: 'Contacts, notifications and preferences of an org',
    reason:
      'Nothing here would act on them: nobody is sent notices, and no vendor has an account that could be let in.',
  },
  rateLimits: {
    name: 'Rate limits by the API',
    reason: 'Whoever runs the installation sets them, by `gatehouse org set`.',
  },
  integrations: {
    name: 'A catalogue of integrations',
    reason: 'There is no catalogue of services and no app of the vendor whose settings could be changed.',
  },
  operator: {
    name: 'Orgs and failover by the API',
    reason: 'Both are work of whoever runs the installation: orgs are made by `gatehouse org create`.',
  },
} as const satisfies Readonly<Record<string, Feature>>;

export type FeatureKey = keyof typeof FEATURES;

/** The decision that each type of policy would make, for types that nothing evaluates yet. */
export const UNASKED_POLICIES: Readonly<Partial<Record<PolicyType, string>>> = {
  MFA_ENROLL: 'Which second factors people may enroll: there are none.',
  PROFILE_ENROLLMENT: 'Who may sign up, and with which attributes: there is no such page.',
  POST_AUTH_SESSION: 'What happens to a session whose context changes: nothing judges it again.',
  ENTITY_RISK: 'What happens when the risk of a person changes: risks are not judged.',
  SESSION_VIOLATION_DETECTION: 'When a session counts as violated: nothing looks for that.',
  DEVICE_SIGNAL_COLLECTION: 'What is asked of devices: nothing is asked.',
  CLIENT_UPDATE: 'When programs on devices are updated: there are none.',
  IDENTITY_CLAIM_SOURCING: 'Where claims of a sign-in come from: people sign in at the org itself.',
};
