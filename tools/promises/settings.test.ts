import { describe, expect, test } from 'vitest';
import {
  AppBody,
  OAuthClientCredentialsInput,
  OAuthClientSettingsInput,
} from '../../server/src/management/apps/contract.ts';
import { APP_KINDS } from '../../server/src/management/apps/modes/kind-rules.ts';
import { readRule } from '../../server/src/management/authorization-servers/rules/rule-document-rules.ts';
import { DEFAULT_ORG_SETTINGS } from '../../server/src/management/orgs/addresses/settings.ts';
import { ATTRIBUTE_MEMBERS } from '../../server/src/management/schemas/attributes/read-attribute.ts';
import { ZONE_TYPES } from '../../server/src/management/zones/contract.ts';
import { readZoneDocument } from '../../server/src/management/zones/matching/zone-document.ts';
import { APPS, KINDS } from './app-setting-proofs.ts';
import { ATTRIBUTES } from './attribute-setting-proofs.ts';
import { CLIENT_CREDENTIALS, CLIENT_SETTINGS, ORG_SETTINGS } from './client-setting-proofs.ts';
import {
  BEHAVIORS,
  EMAIL_TEMPLATES,
  EVENT_HOOKS,
  GROUP_RULES,
  LINKED_OBJECTS,
  LOG_STREAMS,
  MAPPINGS,
  RESOURCE_SETS,
  ROLES,
  THEMES,
  TRUSTED_ORIGINS,
  ZONES,
} from './object-setting-proofs.ts';
import { isThere, type Settings } from './proof.ts';
import { PROVIDERS } from './provider-setting-proofs.ts';
import { CLAIMS, SCOPES, SERVER_POLICIES, SERVER_RULES, SERVERS, TRUSTED_SERVERS } from './server-setting-proofs.ts';
import { bodiesOf, placesOf, plain, storedIn } from './setting-places.ts';

/** The number of settings that have no effect. It may only decrease. */
const MOST_LIMITS = 231;

const oauthPlaces = /^(?:settings|credentials)\.oauthClient\b|^settings\.(?:app|signOn)$/;

const placesOfApps = [AppBody['then'], AppBody['else']['then']].flatMap((body) => placesOf(plain(body as object)));

const ofApps = [...new Set(placesOfApps)].filter((place) => !oauthPlaces.test(place));

const ofKinds = APP_KINDS.flatMap(({ app, signOn, title }) =>
  [app, signOn].flatMap((table) =>
    table === null
      ? []
      : Object.entries(table).flatMap(([name, { schema }]) =>
          placesOf(plain(schema), name).map((place) => `${title}: ${place}`),
        ),
  ),
);

const kinds = Object.fromEntries(
  Object.entries(KINDS).flatMap(([title, settings]) =>
    Object.entries(settings).map(([place, word]) => [`${title}: ${place}`, word]),
  ),
);

const RULE = { name: 'Rule', conditions: { grantTypes: { include: ['client_credentials'] } } };

const ofZones = [
  ...bodiesOf('createNetworkZone', 'replaceNetworkZone'),
  ...ZONE_TYPES.flatMap((type) =>
    storedIn(readZoneDocument({ type, name: 'Zone' }, 'POLICY')).map((place) => `${type}: ${place}`),
  ),
];

const TABLES: readonly (readonly [string, Settings, readonly string[]])[] = [
  ['settings of OAuth clients', CLIENT_SETTINGS, placesOf(plain(OAuthClientSettingsInput))],
  ['credentials of OAuth clients', CLIENT_CREDENTIALS, placesOf(plain(OAuthClientCredentialsInput))],
  ['settings of apps', APPS, ofApps],
  ['settings of kinds of apps', kinds, ofKinds],
  ['authorization servers', SERVERS, bodiesOf('createAuthorizationServer', 'replaceAuthorizationServer')],
  ['their scopes', SCOPES, bodiesOf('createOAuth2Scope', 'replaceOAuth2Scope')],
  ['their claims', CLAIMS, bodiesOf('createOAuth2Claim', 'replaceOAuth2Claim')],
  ['their policies', SERVER_POLICIES, bodiesOf('createAuthorizationServerPolicy', 'replaceAuthorizationServerPolicy')],
  ['their rules', SERVER_RULES, storedIn(readRule(RULE, 'svc'))],
  ['their trust', TRUSTED_SERVERS, bodiesOf('createAssociatedServers')],
  ['network zones', ZONES, ofZones],
  ['behaviors', BEHAVIORS, bodiesOf('createBehaviorDetectionRule', 'replaceBehaviorDetectionRule')],
  ['trusted origins', TRUSTED_ORIGINS, bodiesOf('createTrustedOrigin', 'replaceTrustedOrigin')],
  ['custom roles', ROLES, bodiesOf('createRole', 'createRolePermission', 'replaceRolePermission')],
  [
    'resource sets',
    RESOURCE_SETS,
    bodiesOf('createResourceSet', 'addResourceSetResource', 'addResourceSetResources', 'replaceResourceSetResource'),
  ],
  ['linked objects', LINKED_OBJECTS, bodiesOf('createLinkedObjectDefinition')],
  ['group rules', GROUP_RULES, bodiesOf('createGroupRule', 'replaceGroupRule')],
  ['profile mappings', MAPPINGS, bodiesOf('updateProfileMapping')],
  ['event hooks', EVENT_HOOKS, bodiesOf('createEventHook', 'replaceEventHook')],
  ['log streams', LOG_STREAMS, bodiesOf('createLogStream', 'replaceLogStream')],
  ['identity providers', PROVIDERS, bodiesOf('createIdentityProvider', 'replaceIdentityProvider')],
  ['themes', THEMES, bodiesOf('replaceBrandTheme')],
  ['attributes of schemas', ATTRIBUTES, [...ATTRIBUTE_MEMBERS]],
  ['email templates', EMAIL_TEMPLATES, bodiesOf('createEmailCustomization', 'replaceEmailSettings')],
  ['settings of orgs', ORG_SETTINGS, Object.keys(DEFAULT_ORG_SETTINGS)],
];

const words = TABLES.flatMap(([, table]) => Object.entries(table));

describe('every setting', () => {
  test.each(TABLES)('%s: has an effect that a test shows, or stands among the limits', (_, table, places) => {
    expect(Object.keys(table).toSorted()).toEqual(places.toSorted());
  });

  test('is shown by a test that there is', () => {
    const gone = words.filter(([, word]) => typeof word !== 'string' && !isThere(word));
    expect(gone).toEqual([]);
  });

  test('the limits only shrink', () => {
    const limits = words.map(([, word]) => word).filter((word) => typeof word === 'string');
    expect(limits).toHaveLength(MOST_LIMITS);
    for (const reason of limits) expect(reason).toMatch(/^[A-Z].{20,}\.$/);
  });
});
