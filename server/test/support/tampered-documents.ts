import type { Tampering } from './tampered-rows.ts';

const POLICY_ROWS: readonly Tampering[] = [
  ['a type of policy that there is not', 'policies', 'Tampered', 'type', 'EVERYTHING', 'no such type'],
  ['groups that are no list', 'policies', 'Tampered', 'conditions.groups.include', {}, 'conditions'],
  ['a length beyond every limit', 'policies', '"type":"PASSWORD"', 'settings.complexity.minLength', -1, 'minLength'],
  ['an access that there is not', 'policy_rules', 'Tampered', 'actions.access', 'MAYBE', 'access'],
  ['a rule of an unknown type', 'policy_rules', 'Tampered', 'type', 'OTHER', 'no such type'],
  ['a rule without actions', 'policy_rules', 'Tampered', 'actions', {}, 'not have the form'],
  ['people that are none', 'policy_rules', 'Tampered', 'conditions.users.include', {}, 'conditions'],
  ['a network that is nowhere', 'policy_rules', 'Tampered', 'conditions.network.connection', 'NEAR', 'connection'],
  [
    'a check of apps that there is not',
    'policy_rules',
    '"type":"ACCESS_POLICY"',
    'actions.appSignOn.verificationMethod.type',
    'NOTHING',
    'verificationMethod',
  ],
  [
    'a pattern without bounds',
    'policy_rules',
    '"type":"IDP_DISCOVERY"',
    'conditions.userIdentifier.patterns',
    [{ matchType: 'EXPRESSION', value: '(a{1,30}){1,30}' }],
    'too complex',
  ],
];

const SERVER_ROWS: readonly Tampering[] = [
  ['an audience that is none', 'authorization_servers', 'Tampered', 'audiences', [], 'audiences'],
  ['a scope with a blank', 'authorization_server_scopes', 'Tampered', 'name', 'a b', 'ASCII'],
  ['a scope of the system', 'authorization_server_scopes', 'Tampered', 'is_system', true, 'that every server has'],
  ['a claim of the service', 'authorization_server_claims', 'Tampered', 'name', 'sub', 'that the service itself makes'],
  ['a claim of the system', 'authorization_server_claims', 'Tampered', 'is_system', true, 'that every server has'],
  ['an expression without an end', 'authorization_server_claims', 'Tampered', 'value', '((', 'at position'],
  ['clients that are no list', 'authorization_server_policies', 'Tampered', 'clients', {}, 'must be an array'],
  [
    'a grant that there is not',
    'authorization_server_rules',
    'Tampered',
    'conditions.grantTypes.include',
    ['any'],
    'must not contain any',
  ],
  [
    'tokens for a year',
    'authorization_server_rules',
    'Tampered',
    'access_token_lifetime_minutes',
    525_600,
    'accessTokenLifetimeMinutes',
  ],
];

const ADDRESS_ROWS: readonly Tampering[] = [
  ['a colour that is a style', 'themes', '', 'primary_color', 'red;}body{display:none', 'must be a colour'],
  [
    'a proxy that is everybody',
    'network_zones',
    'Tampered',
    'document.proxies.0.value',
    '0.0.0.0/0',
    'must be at most a /8',
  ],
  ['a gateway that is none', 'network_zones', 'Tampered', 'document.gateways', [{}], 'gateways[0].type'],
  [
    'a hook in the clear',
    'event_hooks',
    'Tampered',
    'channel.uri',
    'http://hooks.example/in',
    'must have the scheme https',
  ],
  [
    'a header of another kind',
    'event_hooks',
    'Tampered',
    'channel.headers',
    [{ key: 'Host', value: 'x' }],
    'which the service sets',
  ],
  ['an event that there is not', 'event_hooks', 'Tampered', 'subscription.items', ['every.thing'], 'not an event type'],
  [
    'a stream in the clear',
    'log_streams',
    'Tampered',
    'settings.url',
    'http://logs.example/in',
    'must have the scheme https',
  ],
  ['a stream of another type', 'log_streams', 'Tampered', 'settings.type', 'file_ndjson', 'the type of the stream'],
];

const CLIENT = 'document.settings.oauthClient';
const ATTRIBUTE = 'custom_attributes.0.definition';

const APP_ROWS: readonly Tampering[] = [
  ['an address that is code', 'apps', 'Tampered', `${CLIENT}.redirect_uris`, ['javascript:alert(1)'], 'scheme'],
  ['a wildcard that nobody asked for', 'apps', 'Tampered', `${CLIENT}.redirect_uris`, ['https://*.a.com/'], 'wildcard'],
  ['a grant that there is not', 'apps', 'Tampered', `${CLIENT}.grant_types`, ['any'], 'grant_types'],
  ['a consent that there is not', 'apps', 'Tampered', `${CLIENT}.consent_method`, 'NEVER', 'consent_method'],
  ['a service without a proof', 'apps', 'Tampered', 'application_type', 'service', 'that of the document'],
  [
    'a client that proves nothing',
    'apps',
    'Tampered',
    'document.credentials.oauthClient',
    { token_endpoint_auth_method: 'none', autoKeyRotation: true, pkce_required: false },
    'pkce_required',
  ],
  ['a mode that there is not', 'apps', 'Tampered', 'sign_on_mode', 'OTHER', 'signOnMode'],
  [
    'a bookmark that is code',
    'apps',
    'bookmark',
    'document.settings.app.url',
    'javascript:alert(1)',
    'settings.app.url',
  ],
];

const PROVIDER = 'document.protocol';

const SCHEMA_ROWS: readonly Tampering[] = [
  ['a provider of no type', 'identity_providers', 'Tampered', 'type', 'OTHER', 'type'],
  ['keys from nowhere', 'identity_providers', 'Tampered', `${PROVIDER}.endpoints.jwks.url`, 'x:y', 'endpoints.jwks'],
  ['a protocol of another kind', 'identity_providers', 'Tampered', `${PROVIDER}.type`, 'OAUTH2', 'protocol.type'],
  ['a pattern without bounds', 'user_types', 'tampered', `${ATTRIBUTE}.pattern`, '(a{1,30}){1,30}', 'pattern'],
  ['a type that there is not', 'user_types', 'tampered', `${ATTRIBUTE}.type`, 'object', 'type'],
  ['a name that is none', 'user_types', 'tampered', 'custom_attributes.0.name', 'a b', 'attribute names'],
  [
    'a base pattern without bounds',
    'user_types',
    'tampered',
    'base_overrides',
    { login: { pattern: '((' } },
    'pattern',
  ],
  ['a base attribute that there is not', 'user_types', 'tampered', 'base_overrides', { a: {} }, 'no base attribute'],
  ['a length below none', 'profile_schemas', 'tampered', `${ATTRIBUTE}.minLength`, -1, 'minLength'],
];

/** The kinds of documents, each with the changes that an import must refuse. */
export const TAMPERED_DOCUMENTS = [
  ['apps', APP_ROWS],
  ['providers and schemas', SCHEMA_ROWS],
  ['policies', POLICY_ROWS],
  ['authorization servers', SERVER_ROWS],
  ['zones, themes, hooks and streams', ADDRESS_ROWS],
] as const;
