import { DIFFERENCES } from '../limits/differences.ts';
import { FEATURES, UNASKED_POLICIES } from '../limits/features.ts';
import { MISSING_FAMILIES } from '../limits/operations.ts';
import { APPS, KINDS } from '../promises/app-setting-proofs.ts';
import { ATTRIBUTES } from '../promises/attribute-setting-proofs.ts';
import { CLIENT_CREDENTIALS, CLIENT_SETTINGS, ORG_SETTINGS } from '../promises/client-setting-proofs.ts';
import * as objects from '../promises/object-setting-proofs.ts';
import { PARAMETER_LIMITS } from '../promises/parameter-proofs.ts';
import { POLICY_SETTING_LIMITS } from '../promises/policy-setting-proofs.ts';
import type { Settings } from '../promises/proof.ts';
import { PROVIDERS } from '../promises/provider-setting-proofs.ts';
import * as servers from '../promises/server-setting-proofs.ts';
import { byText, code, codes, page, table } from './markdown.ts';

interface AnnouncedRoute {
  readonly method: string;
  readonly url: string;
  readonly summary: string;
  readonly errors: readonly string[];
}

const WAYS: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['settings.oauthClient', CLIENT_SETTINGS],
  ['credentials.oauthClient', CLIENT_CREDENTIALS],
  ['settings of orgs', ORG_SETTINGS],
];

/** The settings, by resource, that neither `WAYS` nor `POLICY_SETTING_LIMITS` covers. */
export const OTHER_WAYS: readonly (readonly [string, Settings])[] = [
  ['apps', APPS],
  ...Object.entries(KINDS).map(([title, words]) => [`apps: ${title}`, words] as const),
  ['authorization servers', servers.SERVERS],
  ['scopes of authorization servers', servers.SCOPES],
  ['claims of authorization servers', servers.CLAIMS],
  ['policies of authorization servers', servers.SERVER_POLICIES],
  ['rules of authorization servers', servers.SERVER_RULES],
  ['trusted authorization servers', servers.TRUSTED_SERVERS],
  ['attributes of schemas', ATTRIBUTES],
  ['identity providers', PROVIDERS],
  ['network zones', objects.ZONES],
  ['behaviors', objects.BEHAVIORS],
  ['trusted origins', objects.TRUSTED_ORIGINS],
  ['custom roles', objects.ROLES],
  ['resource sets', objects.RESOURCE_SETS],
  ['linked objects', objects.LINKED_OBJECTS],
  ['group rules', objects.GROUP_RULES],
  ['profile mappings', objects.MAPPINGS],
  ['event hooks', objects.EVENT_HOOKS],
  ['log streams', objects.LOG_STREAMS],
  ['themes', objects.THEMES],
  ['email templates', objects.EMAIL_TEMPLATES],
];

function byReason(words: Settings): Map<string, string[]> {
  const reasons = new Map<string, string[]>();
  for (const [place, word] of Object.entries(words)) {
    if (typeof word === 'string') reasons.set(word, [...(reasons.get(word) ?? []), place]);
  }
  return reasons;
}

function features(): string {
  const operationsOf = (key: string): string => {
    const count = MISSING_FAMILIES.filter(({ feature }) => feature === key).reduce(
      (sum, { all, served }) => sum + all - served,
      0,
    );
    return count === 0 ? '-' : String(count);
  };
  const rows = Object.entries(FEATURES).map(([key, { name, reason }]) => [name, reason, operationsOf(key)]);
  return table(['Feature', 'Status', 'Missing operations'], rows);
}

function families(): string {
  const rows = MISSING_FAMILIES.map(({ all, family, feature, missing, served }) => [
    family,
    `${served} of ${all}`,
    missing.length === 0 ? 'all' : codes(missing),
    FEATURES[feature].name,
  ]);
  return table(['Family', 'Served', 'Missing operations', 'Feature'], rows);
}

function announced(routes: readonly AnnouncedRoute[]): string {
  const rows = routes
    .filter(({ errors }) => errors.includes('E0000060'))
    .map(({ method, summary, url }) => [`${method} ${code(url)}`, `${summary}.`])
    .toSorted(([left = ''], [right = '']) => byText(left, right));
  return table(['Address', 'What it does'], rows);
}

function unasked(policyTypes: readonly string[]): string {
  const texts: Readonly<Record<string, string | undefined>> = UNASKED_POLICIES;
  const rows = policyTypes.map((type) => {
    const text = texts[type];
    if (text === undefined) throw new Error(`tools/limits/features.ts has no text for policies of the type ${type}`);
    return [code(type), text];
  });
  return table(['Type', 'What it would decide'], rows);
}

function settings(): string {
  const ofPolicies = POLICY_SETTING_LIMITS.flatMap(({ places, reason, types }) =>
    places.map((place) => [`${types.map(code).join(', ')} policies`, code(place), reason]),
  );
  const ofClients = WAYS.flatMap(([where, words]) =>
    Object.entries(words).flatMap(([name, word]) => (typeof word === 'string' ? [[where, code(name), word]] : [])),
  );
  const ofOthers = OTHER_WAYS.flatMap(([where, words]) =>
    [...byReason(words)].map(([reason, places]) => [where, codes(places), reason]),
  );
  return table(['Where', 'Setting', 'Why'], [...ofClients, ...ofPolicies, ...ofOthers]);
}

function parameters(): string {
  const rows = PARAMETER_LIMITS.map(({ operations, parameter, reason }) => [
    code(parameter),
    operations === 'every' ? 'all that take it' : codes(operations),
    reason,
  ]);
  return table(['Parameter', 'Operations', 'Why'], rows);
}

export const generateLimits = (unaskedTypes: readonly string[], routes: readonly AnnouncedRoute[]): string =>
  page(
    'What is not there yet',
    'This page helps you decide whether Gatehouse fits. The published contract of this API family describes' +
      ' more than Gatehouse serves. This page lists what is missing, with the reasons. Missing addresses answer 404.',
    'Sources: `tools/limits/`, `tools/promises/`, the table of policy types and the routes. Tests compare them with' +
      ' the contract and with the code.',
    '## Features',
    features(),
    '## Operations, by the families of the contract',
    'Families that are not listed here are served completely. `{Word}` stands for the word of the namespace.',
    families(),
    '## Addresses that say what is missing',
    'The specification or the contract publishes these addresses. They answer 501, as a page or as an error, when the' +
      ' feature they need is missing.',
    announced(routes),
    '## Policies that are not evaluated',
    'They are validated and stored. Every answer about them has the header `X-Policy-Evaluation: none`.',
    unasked(unaskedTypes),
    '## Settings that change nothing',
    'They are validated, stored and shown, so that clients and infrastructure code can write and read them.',
    settings(),
    '## Parameters that change nothing',
    parameters(),
    '## Differences from the contract',
    table(
      ['Where', 'What Gatehouse does'],
      DIFFERENCES.map(({ here, where }) => [where, here]),
    ),
  );
