import { foldCase } from '../../../kernel/texts/text.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import type {
  AppChoice,
  DiscoveryConditions,
  Pattern,
  PlatformChoice,
  UserIdentifier,
} from '../conditions/discovery-rules.ts';
import { INTERNAL } from '../conditions/discovery-rules.ts';
import { ALL_ZONES, type NetworkCondition } from '../conditions/network-rules.ts';
import { asksGroups, holdsForGroups, holdsForUser, type IdChoices, NO_CHOICE } from '../conditions/people-rules.ts';
import type { SignOnAccess } from '../conditions/sign-on-rules.ts';
import type { RuleDocument } from '../types/rules.ts';
import type { PolicyConditions } from '../types/type-rules.ts';
import { domainOf, indexRules, isDomainSuffix } from './routing-index-rules.ts';

export interface SignOnFacts {
  readonly userId: string;
  readonly zones: readonly string[];
  /** The ids of the user's groups. The set may be empty if no policy or rule depends on groups. */
  readonly groups: ReadonlySet<string>;
}

export interface RuleNames {
  readonly policyId: string;
  readonly policyName: string;
  readonly ruleId: string;
  readonly ruleName: string;
}

export interface SignOnDecision extends RuleNames {
  readonly access: SignOnAccess;
  readonly idleMinutes: number;
  readonly lifetimeMinutes: number;
  readonly usePersistentCookie: boolean;
  readonly zones: readonly string[];
}

export type RoutingFacts = RequestedApp & {
  readonly login: string;
  readonly zones: readonly string[];
  /** The `device` and `userAgent.os` of the client, as the System Log shows them. */
  readonly platform: { readonly type: string; readonly os: string };
  readonly attribute: (name: string) => string | undefined;
};

/** `appName` is shared by apps of the same kind. A null `appId` means that there is no app. */
export type RequestedApp = { readonly appId: null } | { readonly appId: AppId; readonly appName: string };

/** As a provider, the org itself has a null `id` and the `type` INTERNAL. */
export interface RoutedProvider {
  readonly id: string | null;
  readonly type: string;
  readonly name: string;
}

/** `providers` keeps the order of the rule and is never empty. */
export interface RoutingDecision extends RuleNames {
  readonly providers: readonly RoutedProvider[];
}

/** An active rule of an active policy. */
export type LoadedRule = RuleNames &
  RuleDocument & {
    readonly policyConditions: PolicyConditions | null;
    readonly policySettings: object | null;
  };

export interface ProviderFacts {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly status: string;
}

type Holds<Facts> = (facts: Facts) => boolean;

const isAlways = (): boolean => true;

const isInOneOf = (named: readonly string[]): Holds<readonly string[]> =>
  named.includes(ALL_ZONES) ? (zones) => zones.length > 0 : (zones) => zones.some((zone) => named.includes(zone));

const NETWORKS: Readonly<
  Record<NetworkCondition['connection'], (network: NetworkCondition) => Holds<readonly string[]>>
> = {
  ANYWHERE: () => isAlways,
  ON_NETWORK: () => (zones) => zones.length > 0,
  OFF_NETWORK: () => (zones) => zones.length === 0,
  ZONE: ({ include, exclude }) => {
    const isIncluded = include.length === 0 ? isAlways : isInOneOf(include);
    const isExcluded = isInOneOf(exclude);
    return (zones) => isIncluded(zones) && !isExcluded(zones);
  },
};

export const compileNetwork = (network: NetworkCondition): Holds<readonly string[]> =>
  NETWORKS[network.connection](network);

export const groupsOfPolicy = ({ policyConditions }: Pick<LoadedRule, 'policyConditions'>): IdChoices =>
  policyConditions?.groups ?? NO_CHOICE;

export const namesOf = ({ policyId, policyName, ruleId, ruleName }: RuleNames): RuleNames => ({
  policyId,
  policyName,
  ruleId,
  ruleName,
});

export interface CompiledSignOn {
  readonly asksGroups: boolean;
  /** Returns the decision of the first rule that matches, or null if there is none. */
  readonly decide: (facts: SignOnFacts) => SignOnDecision | null;
}

export function compileSignOn(rules: readonly LoadedRule[]): CompiledSignOn {
  const compiled = rules.flatMap((rule) => {
    if (rule.type !== 'SIGN_ON') return [];
    const { primaryFactor: _, ...limits } = rule.actions;
    const { groups = NO_CHOICE, network, users } = rule.conditions;
    const decision = { ...namesOf(rule), ...limits };
    return [{ decision, users, groups: [groupsOfPolicy(rule), groups], isNetwork: compileNetwork(network) }];
  });
  return {
    asksGroups: compiled.some(({ groups }) => groups.some(asksGroups)),
    decide: ({ groups: member, userId, zones }) => {
      const found = compiled.find(
        ({ groups, isNetwork, users }) =>
          groups.every((choices) => holdsForGroups(choices, member)) && holdsForUser(users, userId) && isNetwork(zones),
      );
      return found === undefined ? null : { ...found.decision, zones };
    },
  };
}

export type CompileExpression = (text: string) => Holds<string>;

/**
 * A suffix with `@` or a leading dot is compared with the end of the login or attribute. Any other suffix matches a
 * domain and its subdomains, so `example.com` does not match `badexample.com`.
 */
function compileSuffix(suffix: string): Holds<string> {
  if (!isDomainSuffix(suffix)) return (text) => text.endsWith(suffix);
  const below = `.${suffix}`;
  return (text) => {
    const domain = domainOf(text);
    return domain === suffix || domain.endsWith(below);
  };
}

/** The caller case-folds both the value of the pattern and the string that it is compared with. */
const MATCHERS: Readonly<Record<Exclude<Pattern['matchType'], 'EXPRESSION'>, (value: string) => Holds<string>>> = {
  SUFFIX: compileSuffix,
  EQUALS: (value) => (text) => text === value,
  CONTAINS: (value) => (text) => text.includes(value),
  STARTS_WITH: (value) => (text) => text.startsWith(value),
};

const compilePattern = ({ matchType, value }: Pattern, compileExpression: CompileExpression): Holds<string> =>
  matchType === 'EXPRESSION' ? compileExpression(value) : MATCHERS[matchType](foldCase(value));

type FoldedFacts = RoutingFacts & {
  readonly foldedLogin: string;
  readonly kind: PlatformKind;
};

function compileIdentifier(identifier: UserIdentifier, compileExpression: CompileExpression): Holds<FoldedFacts> {
  const { attribute } = identifier;
  const patterns = identifier.patterns.map((pattern) => compilePattern(pattern, compileExpression));
  if (patterns.length === 0) return isAlways;
  if (attribute === null) return ({ foldedLogin }) => patterns.some((matches) => matches(foldedLogin));
  return (facts) => {
    const value = facts.attribute(attribute);
    if (value === undefined) return false;
    const folded = foldCase(value);
    return patterns.some((matches) => matches(folded));
  };
}

function compileApp({ app }: DiscoveryConditions): Holds<FoldedFacts> {
  const names = (list: readonly AppChoice[]): Holds<FoldedFacts> => {
    const ids = new Set(list.flatMap((choice) => (choice.type === 'APP' ? [choice.id] : [])));
    const kinds = new Set(list.flatMap((choice) => (choice.type === 'APP_TYPE' ? [choice.name] : [])));
    return (facts) => facts.appId !== null && (ids.has(facts.appId) || kinds.has(facts.appName));
  };
  const isIncluded = app.include.length === 0 ? isAlways : names(app.include);
  const isExcluded = names(app.exclude);
  return (facts) => isIncluded(facts) && !isExcluded(facts);
}

interface PlatformKind {
  readonly type: PlatformChoice['type'] | null;
  readonly os: PlatformChoice['os'] | null;
}

const UNKNOWN = 'unknown';

const DEVICE_TYPES: ReadonlyMap<string, PlatformChoice['type'] | null> = new Map([
  ['computer', 'DESKTOP'],
  ['desktop', 'DESKTOP'],
  ['mobile', 'MOBILE'],
  ['tablet', 'MOBILE'],
  ['', null],
  [UNKNOWN, null],
]);

const SYSTEMS: readonly (readonly [RegExp, PlatformChoice['os']])[] = [
  [/^windows/i, 'WINDOWS'],
  [/^(mac ?os|osx)/i, 'OSX'],
  [/^ios/i, 'IOS'],
  [/^android/i, 'ANDROID'],
  [/^(chrome ?os|chromium os)/i, 'CHROMEOS'],
  [/^(linux|ubuntu|debian|fedora|centos|red ?hat|suse|arch|gentoo|mint)/i, 'LINUX'],
];

function platformKindOf({ type, os }: RoutingFacts['platform']): PlatformKind {
  const device = DEVICE_TYPES.get(type.toLowerCase());
  const isTold = os !== '' && os.toLowerCase() !== UNKNOWN;
  const system = SYSTEMS.find(([pattern]) => pattern.test(os))?.[1] ?? 'OTHER';
  return { type: device === undefined ? 'OTHER' : device, os: isTold ? system : null };
}

/** Unknown facts match any value in `include`, but only ANY in `exclude`. */
function compilePlatform({ platform }: DiscoveryConditions): Holds<FoldedFacts> {
  const { include, exclude } = platform;
  const isNamed = (list: readonly PlatformChoice[], { type, os }: PlatformKind, unknown: boolean): boolean =>
    list.some(
      (choice) =>
        (choice.type === 'ANY' || (type === null ? unknown : type === choice.type)) &&
        (choice.os === 'ANY' || (os === null ? unknown : os === choice.os)),
    );
  return ({ kind }) => (include.length === 0 || isNamed(include, kind, true)) && !isNamed(exclude, kind, false);
}

function compileConditions(
  conditions: DiscoveryConditions,
  compileExpression: CompileExpression,
): readonly Holds<FoldedFacts>[] {
  const isNetwork = compileNetwork(conditions.network);
  return [
    compileIdentifier(conditions.userIdentifier, compileExpression),
    ({ zones }) => isNetwork(zones),
    compileApp(conditions),
    compilePlatform(conditions),
  ];
}

const OWN_ORG: RoutedProvider = { id: null, type: INTERNAL, name: INTERNAL };

/**
 * Leaves out inactive providers, and rules that are left without a provider. The returned function returns null if no
 * rule matches.
 */
export function compileRouting(
  rules: readonly LoadedRule[],
  providers: readonly ProviderFacts[],
  compileExpression: CompileExpression,
): (facts: RoutingFacts) => RoutingDecision | null {
  const active = new Map(
    providers
      .filter(({ status }) => status === 'ACTIVE')
      .map(({ id, type, name }) => [id, { id, type, name } satisfies RoutedProvider]),
  );
  const compiled = rules.flatMap((rule) => {
    if (rule.type !== 'IDP_DISCOVERY') return [];
    const routed = rule.actions.providers.flatMap(({ id }) => (id === null ? OWN_ORG : (active.get(id) ?? [])));
    if (routed.length === 0) return [];
    const decision: RoutingDecision = { ...namesOf(rule), providers: routed };
    const { userIdentifier: identifier } = rule.conditions;
    return [{ decision, identifier, conditions: compileConditions(rule.conditions, compileExpression) }];
  });
  const findFirst = indexRules(compiled);
  return (facts) => {
    const folded = { ...facts, foldedLogin: foldCase(facts.login), kind: platformKindOf(facts.platform) };
    const found = findFirst(folded.foldedLogin, ({ conditions }) => conditions.every((holds) => holds(folded)));
    return found?.decision ?? null;
  };
}
