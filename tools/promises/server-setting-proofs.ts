import { all, ruled, type Settings, shown } from './proof.ts';

const RULES = 'management/authorization-servers/policies/policy-rules';
const TEXT = 'It is a text for administrators, shown with the object it describes. No decision depends on it.';

// biome-ignore format: each setting is one line
export const SERVERS: Settings = {
  name: shown('authorization-servers', 'of two with one name at once, one is made'),
  audiences: shown('custom-server-tokens', 'is for its audience, says what its claims say, lives as the rule says, and anybody can verify it'),
  credentials: shown('custom-server-keys', 'rotate by themselves after 90 days where the mode is AUTO, published a day before'),
  status: shown('custom-server-token-ends', 'with its server: deactivated, and active again'),
  accessTokenEncryptedResponseAlgorithm: ruled('management/authorization-servers/document-rules', '%s', 'accessTokenEncryptedResponseAlgorithm: is not'),
  jwks: ruled('management/authorization-servers/document-rules', '%s', 'jwks: is not supported yet'),
  jwks_uri: shown('authorization-servers', 'refuses: %s', 'jwks_uri: is not supported yet'),

  description: TEXT,
  issuerMode: 'In either mode, the issuer is the URL of the org that the client used.',
};

// biome-ignore format: each setting is one line
export const SCOPES: Settings = {
  name: shown('custom-server-tokens', 'has the scopes asked for, those that a person could refuse too'),
  displayName: shown('consent-page', 'shows every text as text'),
  description: shown('consent-page', 'shows every text as text'),
  metadataPublish: shown('custom-server-discovery', 'lists the scopes that the server publishes, and no claim of its own'),
  consent: shown('consent', 'prompt %s, app %s, scope %s'),
  optional: shown('consent', 'to an optional scope may be left out, and is not asked for until it is required'),
  default: shown('custom-server-tokens', 'has the default scopes where none is asked for'),
};

// biome-ignore format: each setting is one line
export const CLAIMS: Settings = {
  ...all('name value', shown('custom-server-tokens', 'is for its audience, says what its claims say, lives as the rule says, and anybody can verify it')),
  conditions: shown('custom-server-tokens', 'is for its audience, says what its claims say, lives as the rule says, and anybody can verify it'),
  ...all('claimType valueType group_filter_type alwaysIncludeInToken', shown('token-code-grant', 'say what its claims say of the user, of the app and of groups')),
  status: shown('token-code-grant', 'say what its claims say of the user, of the app and of groups'),
};

// biome-ignore format: each setting is one line
export const SERVER_POLICIES: Settings = {
  type: shown('authorization-servers-policies', 'refuses: %s', 'type: must be one of OAUTH_AUTHORIZATION_POLICY'),
  name: shown('authorization-servers-policies', 'a name stands once in a server; of two at once one is made'),
  priority: shown('authorization-servers-policies', 'who comes in at a place moves the others; replace moves; delete closes the gap'),
  status: shown('custom-server-refusals', 'whoever has a policy or a rule that was deactivated'),
  conditions: shown('authorization-servers-rules', 'active rules of active policies, by their places'),

  description: TEXT,
};

/** Settings of a rule, as `readRule` names them: `wanted` is the priority, and `givenStatus` is the status. */
// biome-ignore format: each setting is one line
export const SERVER_RULES: Settings = {
  name: shown('authorization-servers-rules', 'a name stands once in a policy; of two at once one is made'),
  wanted: shown('authorization-servers-rules', 'who comes in at a place moves the others; replace moves; delete closes the gap; pages follow it'),
  givenStatus: shown('custom-server-refusals', 'whoever has a policy or a rule that was deactivated'),
  'conditions.people.users.include': ruled(RULES, '%s', 'for the user'),
  'conditions.people.users.exclude': ruled(RULES, '%s', 'but not for the user'),
  'conditions.people.groups.include': ruled(RULES, '%s', 'for a group of the user'),
  'conditions.people.groups.exclude': ruled(RULES, '%s', 'but not for a group'),
  'conditions.grantTypes.include': ruled(RULES, '%s', 'of another grant'),
  'conditions.scopes.include': ruled(RULES, '%s', 'of one of the scopes'),
  accessTokenLifetimeMinutes: shown('custom-server-tokens', 'is for its audience, says what its claims say, lives as the rule says, and anybody can verify it'),
  ...all('refreshTokenLifetimeMinutes refreshTokenWindowMinutes', shown('token-refresh-ends', 'when it is not used for as long as the rule says, and when its lifetime is over')),
};

// biome-ignore format: each setting is one line
export const TRUSTED_SERVERS: Settings = {
  trusted: shown('token-exchange', 'takes its tokens, for scopes of its own'),
};
