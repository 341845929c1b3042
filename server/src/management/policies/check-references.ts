import type { Context } from '../../kernel/context.ts';
import { invalid } from '../../kernel/errors.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { findApp } from '../apps/index.ts';
import { findUserById } from '../users/index.ts';
import { zoneExists } from '../zones/index.ts';
import {
  type DiscoveryActions,
  type DiscoveryConditions,
  type DiscoveryProvider,
  wireProviderType,
} from './discovery-rules.ts';
import type { Reference, ReferenceKind } from './document-rules.ts';
import { checkExpression } from './expression.ts';
import type { ReferencePorts } from './ports.ts';
import { namesOfRule, type RuleDocument } from './rules.ts';
import { refused } from './shape-rules.ts';

type Exists = (ports: ReferencePorts, db: Db, context: Context, id: string) => Promise<boolean>;

/** How a refusal calls each kind, and how it is looked up. */
const KINDS: Readonly<Record<ReferenceKind, { readonly called: string; readonly exists: Exists }>> = {
  user: {
    called: 'user',
    exists: async (_, db, { orgId }, id) => (await findUserById(db, orgId, id)) !== undefined,
  },
  group: { called: 'group', exists: (ports, db, { orgId }, id) => ports.groupExists(db, orgId, id) },
  zone: { called: 'network zone', exists: (_, db, { orgId }, id) => zoneExists(db, orgId, id) },
  app: { called: 'app', exists: async (_, db, { orgId }, id) => (await findApp(db, orgId, id)) !== undefined },
  provider: {
    called: 'identity provider',
    exists: async (ports, db, { orgId }, id) => (await ports.listProviders(db, orgId)).some((one) => one.id === id),
  },
  userType: { called: 'user type', exists: (ports, db, { orgId }, id) => ports.userTypeExists(db, orgId, id) },
};

const keyOf = ({ id, kind }: Reference): string => `${kind} ${id}`;

/**
 * 400 E0000001 with one cause for each thing that is named and that the org doesn't have. What the document named
 * already may be gone since: it matches nobody, and does not stand in the way of other changes.
 */
export async function assertNamed(
  ports: ReferencePorts,
  db: Db,
  context: Context,
  named: readonly Reference[],
  before: readonly Reference[],
): Promise<void> {
  const known = new Set(before.map(keyOf));
  const asked = new Map(named.filter((one) => !known.has(keyOf(one))).map((one) => [keyOf(one), one]));
  const causes: string[] = [];
  let first = '';
  for (const { id, kind, place } of asked.values()) {
    const { called, exists } = KINDS[kind];
    if (await exists(ports, db, context, id)) continue;
    if (causes.length === 0) first = place;
    causes.push(`${place}: There is no ${called} ${id}.`);
  }
  if (causes.length > 0) throw invalid(first, ...causes);
}

function checkExpressions({ userIdentifier }: DiscoveryConditions): void {
  for (const { matchType, value } of userIdentifier.patterns) {
    if (matchType === 'EXPRESSION') checkExpression('conditions.userIdentifier.patterns.value', value);
  }
}

/** Providers with the type that each really is of; a client may leave it out, but not be wrong about it. */
async function resolveProviders(
  ports: ReferencePorts,
  db: Db,
  context: Context,
  { providers }: DiscoveryActions,
): Promise<DiscoveryActions> {
  const place = 'actions.idp.providers';
  if (providers.every(({ id }) => id === null)) return { providers };
  const known = new Map((await ports.listProviders(db, context.orgId)).map(({ id, type }) => [id, type]));
  const resolve = (provider: DiscoveryProvider): DiscoveryProvider => {
    if (provider.id === null) return provider;
    const type = known.get(provider.id);
    if (type === undefined) throw refused(place, `There is no identity provider ${provider.id}.`);
    const wireType = wireProviderType(type, context.namespace.upper);
    if (provider.type !== null && provider.type !== wireType) {
      throw refused(place, `The identity provider ${provider.id} is of the type ${wireType}.`);
    }
    return { id: provider.id, type };
  };
  return { providers: providers.map(resolve) };
}

/**
 * Looks up everything that a rule names, compiles its expressions, and answers the document as it is stored. `before`:
 * the rule as it was, null for a new one. 400 E0000001 for what doesn't exist in the org.
 */
export async function checkReferences(
  ports: ReferencePorts,
  db: Db,
  context: Context,
  document: RuleDocument,
  before: RuleDocument | null,
): Promise<RuleDocument> {
  await assertNamed(ports, db, context, namesOfRule(document), before === null ? [] : namesOfRule(before));
  if (document.type !== 'IDP_DISCOVERY') return document;
  checkExpressions(document.conditions);
  return { ...document, actions: await resolveProviders(ports, db, context, document.actions) };
}
