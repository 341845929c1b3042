import { all, ruled, type Settings, shown } from './proof.ts';

const TEXT = 'It is a text for administrators, shown with the object it describes. No decision depends on it.';
const DYNAMIC = 'management/zones/matching/zone-matching';

// biome-ignore format: each setting is one line
export const ZONES: Settings = {
  ...all('type name', shown('zones', 'a name twice, and another type on replace')),
  status: shown('zones', 'refuses its addresses with 403 before anything else, and only while it is active'),
  usage: shown('zones', 'refuses its addresses with 403 before anything else, and only while it is active'),
  'IP: gateways': shown('zones', 'refuses its addresses with 403 before anything else, and only while it is active'),
  'IP: proxies': shown('zones-proxies', 'are believed from the moment they are there, by their org alone, until they are not'),
  'DYNAMIC: asns': ruled(DYNAMIC, '%s', 'of a network, which is not known'),
  'DYNAMIC: locations': ruled(DYNAMIC, '%s', 'of a country'),
  'DYNAMIC: proxyType': ruled(DYNAMIC, '%s', 'of proxies, which are not known'),
  'DYNAMIC_V2: asns.include': ruled(DYNAMIC, '%s', 'with a network'),
  'DYNAMIC_V2: asns.exclude': ruled(DYNAMIC, '%s', 'without a network'),
  'DYNAMIC_V2: locations.include': ruled(DYNAMIC, '%s', 'with a country'),
  'DYNAMIC_V2: locations.exclude': ruled(DYNAMIC, '%s', 'without a country'),
  'DYNAMIC_V2: ipServiceCategories.include': ruled(DYNAMIC, '%s', 'with services'),
  'DYNAMIC_V2: ipServiceCategories.exclude': ruled(DYNAMIC, '%s', 'without services'),
};

// biome-ignore format: each setting is one line
export const BEHAVIORS: Settings = {
  name: shown('behaviors', 'a name that the org has, another type, and past a hundred'),
  type: shown('behaviors', 'a name that the org has, another type, and past a hundred'),
  status: shown('behaviors', 'a body switches a behavior on and off'),
  settings: 'Nothing detects behaviors yet. They are stored for rules that name them.',
};

// biome-ignore format: each setting is one line
export const TRUSTED_ORIGINS: Settings = {
  name: shown('trusted-origins', 'a name and an origin are one per org, and free in another'),
  origin: shown('trusted-origins', 'CORS follows at once'),
  scopes: shown('trusted-origins', 'an origin without the scope CORS may not call'),
  status: shown('edge-cors', 'nor one that is no longer active'),
};

// biome-ignore format: each setting is one line
export const ROLES: Settings = {
  label: shown('custom-roles', 'has a label of its own, also when two are made at once'),
  permissions: shown('role-bindings', 'reaches what the set holds, by groups too, and nothing once any part of it is gone'),
  'conditions.include': shown('custom-roles', 'are not shown, but to the own user'),
  'conditions.exclude': shown('custom-roles', 'are no attributes to search for, to filter or to sort by'),

  description: TEXT,
};

// biome-ignore format: each setting is one line
export const RESOURCE_SETS: Settings = {
  label: shown('resource-sets', 'has a label of its own'),
  ...all('resources resourceOrnOrUrl additions', shown('role-bindings', 'reaches what the set holds, by groups too, and nothing once any part of it is gone')),
  'conditions.Exclude': shown('resource-sets', 'hold: all apps but one, all users but those of a group'),

  description: TEXT,
};

// biome-ignore format: each setting is one line
export const LINKED_OBJECTS: Settings = {
  ...all('primary.name associated.name', shown('linked-objects', 'one primary, many associated; another primary takes the place of the first')),

  ...all('primary.type associated.type', 'Only users can be linked, so there is one value.'),
  ...all('primary.title primary.description associated.title associated.description', TEXT),
};

// biome-ignore format: each setting is one line
export const GROUP_RULES: Settings = {
  type: shown('group-rules', 'answers the rule, INACTIVE, as the published clients know it, and logs it'),
  name: shown('group-rules', 'a name is one per org, also for two at once, and free in another'),
  ...all('conditions.expression.value actions.assignUserToGroups.groupIds', shown('group-rules-evaluation', 'a user is in his groups with the very answer that made or changed him, and events say so')),
  'conditions.people.users.exclude': shown('group-rules-evaluation', 'whoever is taken out by hand stays out, until the rule is told otherwise'),
  'conditions.people.groups.exclude': shown('group-rules-evaluation', 'leave out whoever is in a group that they leave out'),

  'conditions.expression.type': 'There is one expression language, so there is one value.',
};

// biome-ignore format: each setting is one line
export const MAPPINGS: Settings = {
  'properties.expression': shown('app-users-profiles', 'say what the app gets of the profile, as it is now'),
  'properties.pushStatus': 'Nothing is pushed to apps.',
};

const HOOK = shown(
  'event-hooks-verify',
  'asks the address once, with the headers of the hook, and believes the value alone',
);
const FILTERED = shown('event-hooks-delivery', 'gets of a type with a filter what a search with that filter shows');

// biome-ignore format: each setting is one line
export const EVENT_HOOKS: Settings = {
  status: shown('event-hooks-replace', 'takes the status along, with its own event'),
  'events.items': shown('event-hooks-delivery', 'gets every event of its types once, in the order of the log, and nothing else'),
  ...all('events.filter.eventFilterMap.event events.filter.eventFilterMap.condition.expression', FILTERED),
  ...all('channel.config.uri channel.config.headers.key channel.config.headers.value channel.config.authScheme.key channel.config.authScheme.value', HOOK),

  ...all('name description', TEXT),
  ...all('events.type events.filter.type events.filter.eventFilterMap.condition.version', 'Only one value is allowed.'),
  ...all('channel.type channel.version channel.config.method channel.config.authScheme.type', 'Only one value is allowed.'),
};

const SPLUNK = shown('log-streams-delivery', 'in %s gets every event as it is stored, once and in order');
const BRIDGE = shown('log-streams-delivery', 'gets every event, ten at a time, in requests that are signed');
const LINES = shown('log-streams-delivery', 'gets every event a line (compressed: %s), signed, without a gap');

// biome-ignore format: each setting is one line
export const LOG_STREAMS: Settings = {
  name: shown('log-streams', 'names are unique in the org; a repeated key makes one stream'),
  type: shown('log-streams-replace', 'the type stays, names stay unique, and what is wrong is refused as on creation'),
  ...all('settings.accountId settings.eventSourceName settings.region', BRIDGE),
  ...all('settings.host settings.edition settings.token', SPLUNK),
  ...all('settings.url settings.gzip settings.secret', LINES),
  'settings.maximumMegabytes': ruled('management/log-streams/files/delivery-file', 'ends before it grows beyond its size; the oldest go'),
  'settings.maximumFiles': ruled('management/log-streams/files/delivery-file', 'that one file is allowed is the one written to'),
};

const TOUCH_POINTS = shown('themes-shown', 'of each kind show what their own touch point says');
const MAIL = shown('themes-shown', 'have the logo and a button in the colour of the theme, where it says so');

// biome-ignore format: each setting is one line
export const THEMES: Settings = {
  primaryColorHex: MAIL,
  primaryColorContrastHex: ruled('platform/pages/look', 'has the text that is wished for where that can be read'),
  ...all('secondaryColorHex signInPageTouchPointVariant endUserDashboardTouchPointVariant errorPageTouchPointVariant', TOUCH_POINTS),
  emailTemplateTouchPointVariant: MAIL,
  loadingPageTouchPointVariant: shown('themes-shown', 'a page that leads on by itself moves only where the theme says so'),
  secondaryColorContrastHex: ruled('platform/pages/look', 'has the text that is wished for on the colour behind it, where that can be read'),
};

// biome-ignore format: each setting is one line
export const EMAIL_TEMPLATES: Settings = {
  ...all('language isDefault subject body', shown('email-templates', 'say what the org says, in the reader’s language, else its default; and ours again without')),
  recipients: shown('email-template-settings', 'hold for the mails that nobody asked for'),
};
