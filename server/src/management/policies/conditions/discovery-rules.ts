import { invalid } from '../../../kernel/errors/errors.ts';
import { required } from '../../../kernel/errors/field-errors.ts';
import {
  isAbsent,
  type Members,
  readChoice,
  readFlag,
  readItems,
  readMembers,
  unsupported,
} from '../../../kernel/words/members.ts';
import { type PolicyNames, type Shape } from '../types/document-rules.ts';
import { gather } from './gather-rules.ts';
import { ANYWHERE, type NetworkCondition, networkShape, readNetwork, wireNetwork } from './network-rules.ts';
import { readText } from './shape-rules.ts';

/** The type of the org itself as an identity provider. */
export const INTERNAL = 'INTERNAL';

export const MATCH_TYPES = ['SUFFIX', 'EXPRESSION', 'EQUALS', 'CONTAINS', 'STARTS_WITH'] as const;
const PLATFORM_TYPES = ['ANY', 'MOBILE', 'DESKTOP', 'OTHER'] as const;
const OPERATING_SYSTEMS = ['ANY', 'IOS', 'ANDROID', 'WINDOWS', 'OSX', 'LINUX', 'CHROMEOS', 'OTHER'] as const;

const MAXIMUM_PATTERNS = 20;
const MAXIMUM_APPS = 100;
const MAXIMUM_PLATFORMS = 20;
/** The limit of the contract (OpenAPI IdpPolicyRuleAction). */
const MAXIMUM_PROVIDERS = 10;

export interface Pattern {
  readonly matchType: (typeof MATCH_TYPES)[number];
  readonly value: string;
}

/** An empty list of patterns matches every login. */
export interface UserIdentifier {
  readonly type: 'IDENTIFIER' | 'ATTRIBUTE';
  readonly attribute: string | null;
  readonly patterns: readonly Pattern[];
}

/** `APP` selects one app by its id. `APP_TYPE` selects all apps with this name. */
export type AppChoice =
  | { readonly type: 'APP'; readonly id: string }
  | { readonly type: 'APP_TYPE'; readonly name: string };

export interface PlatformChoice {
  readonly type: (typeof PLATFORM_TYPES)[number];
  readonly os: (typeof OPERATING_SYSTEMS)[number];
}

interface Choices<Choice> {
  readonly include: readonly Choice[];
  readonly exclude: readonly Choice[];
}

export interface DiscoveryConditions {
  readonly network: NetworkCondition;
  readonly userIdentifier: UserIdentifier;
  readonly app: Choices<AppChoice>;
  readonly platform: Choices<PlatformChoice>;
}

/** A null `id` stands for the org itself. A null `type` means that the client gave only the id. */
export interface DiscoveryProvider {
  readonly id: string | null;
  readonly type: string | null;
}

export interface DiscoveryActions {
  readonly providers: readonly DiscoveryProvider[];
}

export const DEFAULT_DISCOVERY_CONDITIONS: DiscoveryConditions = {
  network: ANYWHERE,
  userIdentifier: { type: 'IDENTIFIER', attribute: null, patterns: [] },
  app: { include: [], exclude: [] },
  platform: { include: [], exclude: [] },
};

export const DEFAULT_DISCOVERY_ACTIONS: DiscoveryActions = { providers: [{ id: null, type: INTERNAL }] };

function readPattern(value: unknown): Pattern {
  const place = 'conditions.userIdentifier.patterns';
  const pattern = readMembers(place, value, ['matchType', 'value']);
  return {
    matchType: readChoice(`${place}.matchType`, pattern['matchType'], MATCH_TYPES, null),
    value: readText(`${place}.value`, pattern['value']),
  };
}

function readUserIdentifier(value: unknown, attributes: ReadonlySet<string>): UserIdentifier {
  const place = 'conditions.userIdentifier';
  const identifier = readMembers(place, value, ['type', 'attribute', 'patterns']);
  const type = readChoice(`${place}.type`, identifier['type'], ['IDENTIFIER', 'ATTRIBUTE'], 'IDENTIFIER');
  const patterns = readItems(`${place}.patterns`, identifier['patterns'], MAXIMUM_PATTERNS).map(readPattern);
  // Clients send an empty name if they do not select an attribute.
  const named = isAbsent(identifier['attribute']) || identifier['attribute'] === '' ? null : identifier['attribute'];
  if (type === 'IDENTIFIER') {
    if (named !== null) throw invalid(`${place}.attribute`, 'belongs to the type ATTRIBUTE.');
    return { type, attribute: null, patterns };
  }
  const attribute = readText(`${place}.attribute`, named);
  if (!attributes.has(attribute)) throw invalid(`${place}.attribute`, `There is no profile attribute ${attribute}.`);
  if (patterns.length === 0) throw required(`${place}.patterns`);
  return { type, attribute, patterns };
}

function readApp(place: string, value: unknown): AppChoice {
  const app = readMembers(place, value, ['type', 'id', 'name']);
  const type = readChoice(`${place}.type`, app['type'], ['APP', 'APP_TYPE'], null);
  if (type === 'APP') return { type, id: readText(`${place}.id`, app['id']) };
  if (!isAbsent(app['id'])) throw invalid(`${place}.id`, 'belongs to the type APP.');
  return { type, name: readText(`${place}.name`, app['name']) };
}

function readPlatform(place: string, value: unknown): PlatformChoice {
  const platform = readMembers(place, value, ['type', 'os']);
  const os = readMembers(`${place}.os`, platform['os'], ['type']);
  return {
    type: readChoice(`${place}.type`, platform['type'], PLATFORM_TYPES, 'ANY'),
    os: readChoice(`${place}.os.type`, os['type'], OPERATING_SYSTEMS, 'ANY'),
  };
}

function readChoices<Choice>(
  place: string,
  value: unknown,
  maximum: number,
  read: (place: string, value: unknown) => Choice,
): Choices<Choice> {
  const choices = readMembers(place, value, ['include', 'exclude']);
  const list = (name: 'include' | 'exclude') =>
    readItems(`${place}.${name}`, choices[name], maximum).map((item) => read(`${place}.${name}`, item));
  return { include: list('include'), exclude: list('exclude') };
}

function readDiscoveryConditions(value: unknown, words: PolicyNames): DiscoveryConditions {
  const conditions = readMembers('conditions', value, ['network', 'userIdentifier', 'app', 'platform']);
  return gather({
    network: () => readNetwork(conditions['network']),
    userIdentifier: () => readUserIdentifier(conditions['userIdentifier'], words.attributes),
    app: () => readChoices('conditions.app', conditions['app'], MAXIMUM_APPS, readApp),
    platform: () => readChoices('conditions.platform', conditions['platform'], MAXIMUM_PLATFORMS, readPlatform),
  });
}

function readProvider(value: unknown, upperWord: string): DiscoveryProvider {
  const place = 'actions.idp.providers';
  const provider = readMembers(place, value, ['id', 'type', 'name']);
  const type = isAbsent(provider['type']) ? null : readText(`${place}.type`, provider['type']);
  const id = isAbsent(provider['id']) || provider['id'] === '' ? null : readText(`${place}.id`, provider['id']);
  if (type === upperWord) {
    if (id !== null) throw invalid(`${place}.id`, `${upperWord} has no id.`);
    return { id: null, type: INTERNAL };
  }
  if (id !== null) return { id, type };
  if (type === 'AgentlessDSSO' || type === 'IWA') throw unsupported(`${place}.type`);
  throw required(`${place}.id`);
}

function readDiscoveryActions(value: unknown, words: PolicyNames): DiscoveryActions {
  const place = 'actions.idp';
  const fallBack = `shouldFallBackTo${words.capitalisedWord}`;
  const actions = readMembers('actions', value, ['idp']);
  const known = ['providers', 'idpSelectionType', 'matchCriteria', fallBack];
  const idp = readMembers(place, actions['idp'], known);
  const selection = readChoice(
    `${place}.idpSelectionType`,
    idp['idpSelectionType'],
    ['SPECIFIC', 'DYNAMIC'],
    'SPECIFIC',
  );
  if (selection === 'DYNAMIC') throw unsupported(`${place}.idpSelectionType`);
  if (readItems(`${place}.matchCriteria`, idp['matchCriteria'], MAXIMUM_PATTERNS).length > 0) {
    throw unsupported(`${place}.matchCriteria`);
  }
  if (readFlag(`${place}.${fallBack}`, idp[fallBack], false)) throw unsupported(`${place}.${fallBack}`);
  const providers = readItems(`${place}.providers`, idp['providers'], MAXIMUM_PROVIDERS).map((item) =>
    readProvider(item, words.upperWord),
  );
  if (providers.length === 0) throw required(`${place}.providers`);
  if (new Set(providers.map(({ id }) => id)).size < providers.length) {
    throw invalid(`${place}.providers`, 'must name each provider once.');
  }
  return { providers };
}

export const wireProviderType = (type: string, upperWord: string): string => (type === INTERNAL ? upperWord : type);

const wirePlatform = ({ type, os }: PlatformChoice): Members => ({ type, os: { type: os } });

function wireDiscoveryConditions(conditions: DiscoveryConditions): Members {
  const { app, network, platform, userIdentifier } = conditions;
  const { attribute, patterns, type } = userIdentifier;
  const hasPlatform = platform.include.length + platform.exclude.length > 0;
  return {
    network: wireNetwork(network),
    userIdentifier: {
      ...(patterns.length > 0 ? { type } : {}),
      ...(attribute === null ? {} : { attribute }),
      patterns,
    },
    app,
    ...(hasPlatform
      ? { platform: { include: platform.include.map(wirePlatform), exclude: platform.exclude.map(wirePlatform) } }
      : {}),
  };
}

const wireDiscoveryActions = ({ providers }: DiscoveryActions, upperWord: string): Members => ({
  idp: {
    providers: providers.map(({ id, type }) => ({
      ...(id === null ? {} : { id }),
      type: wireProviderType(type ?? INTERNAL, upperWord),
    })),
    idpSelectionType: 'SPECIFIC',
  },
});

/** The caller of `read` checks the regular expressions. */
export const discoveryConditions: Shape<DiscoveryConditions> = {
  read: (_place, value, words) => readDiscoveryConditions(value, words),
  write: (stored) => wireDiscoveryConditions(stored),
  names: ({ app, network }, place) => [
    ...networkShape.names(network, `${place}.network`),
    ...[...app.include, ...app.exclude].flatMap((choice) =>
      choice.type === 'APP' ? [{ kind: 'app' as const, id: choice.id, place: `${place}.app` }] : [],
    ),
  ],
  settings: (place) => [
    ...networkShape.settings(`${place}.network`),
    ...['type', 'attribute', 'patterns.matchType', 'patterns.value'].map((name) => `${place}.userIdentifier.${name}`),
    ...['app', 'platform'].flatMap((name) => [`${place}.${name}.include`, `${place}.${name}.exclude`]),
  ],
};

/** The caller of `read` checks that the providers exist and have the given types. */
export const discoveryActions: Shape<DiscoveryActions> = {
  read: (_place, value, words) => readDiscoveryActions(value, words),
  write: (stored, { upperWord }) => wireDiscoveryActions(stored, upperWord),
  names: () => [],
  settings: (place) => [`${place}.idp.providers`],
};
