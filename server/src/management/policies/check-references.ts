import type { Context } from '../../kernel/context.ts';
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
import { checkExpression } from './expression.ts';
import { type NetworkCondition, zonesOf } from './network-rules.ts';
import type { ReferencePorts } from './ports.ts';
import type { RuleDocument } from './rules.ts';
import { refused } from './shape-rules.ts';
import type { SignOnConditions } from './sign-on-rules.ts';

async function checkZones(db: Db, context: Context, network: NetworkCondition): Promise<void> {
  for (const id of zonesOf(network)) {
    if (!(await zoneExists(db, context.orgId, id))) {
      throw refused('conditions.network', `There is no network zone ${id}.`);
    }
  }
}

async function checkUsers(db: Db, context: Context, { users }: SignOnConditions): Promise<void> {
  for (const id of new Set([...users.include, ...users.exclude])) {
    if ((await findUserById(db, context.orgId, id)) === undefined) {
      throw refused('conditions.people.users', `There is no user ${id}.`);
    }
  }
}

async function checkApps(db: Db, context: Context, { app }: DiscoveryConditions): Promise<void> {
  const named = [...app.include, ...app.exclude].flatMap((choice) => (choice.type === 'APP' ? [choice.id] : []));
  for (const id of new Set(named)) {
    if ((await findApp(db, context.orgId, id)) === undefined) {
      throw refused('conditions.app', `There is no app ${id}.`);
    }
  }
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
 * Looks up everything that a rule names, compiles its expressions, and answers the document as it is stored. 400
 * E0000001 for what doesn't exist in the org.
 */
export async function checkReferences(
  ports: ReferencePorts,
  db: Db,
  context: Context,
  document: RuleDocument,
): Promise<RuleDocument> {
  await checkZones(db, context, document.conditions.network);
  if (document.type === 'SIGN_ON') {
    await checkUsers(db, context, document.conditions);
    return document;
  }
  checkExpressions(document.conditions);
  await checkApps(db, context, document.conditions);
  return { ...document, actions: await resolveProviders(ports, db, context, document.actions) };
}
