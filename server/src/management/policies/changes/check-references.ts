import type { Context } from '../../../kernel/context.ts';
import { invalid, invalidObject } from '../../../kernel/errors/errors.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { findApp } from '../../apps/index.ts';
import { findGroups } from '../../groups/index.ts';
import { lockProviderForKeyShare } from '../../identity-providers/index.ts';
import { readUserTypes } from '../../schemas/index.ts';
import { findUserById } from '../../users/index.ts';
import { lockZoneForKeyShare } from '../../zones/index.ts';
import {
  type DiscoveryActions,
  type DiscoveryConditions,
  type DiscoveryProvider,
  wireProviderType,
} from '../conditions/discovery-rules.ts';
import { checkExpression } from '../conditions/expression.ts';
import type { Reference, ReferenceKind } from '../types/document-rules.ts';
import { namesOfRule, type RuleDocument } from '../types/rules.ts';
import { assertSeen } from './assert-seen.ts';

type Exists = (tx: Tx, orgId: OrgId, id: string) => Promise<boolean>;

/**
 * Network zones and identity providers cannot be deleted while a rule names them, so `exists` locks their rows against
 * a concurrent deletion.
 */
const KINDS: Readonly<Record<ReferenceKind, { readonly called: string; readonly exists: Exists }>> = {
  user: {
    called: 'user',
    exists: async (tx, orgId, id) => (await findUserById(tx, orgId, id)) !== undefined,
  },
  group: { called: 'group', exists: async (tx, orgId, id) => (await findGroups(tx, orgId, [id])).length > 0 },
  zone: { called: 'network zone', exists: lockZoneForKeyShare },
  app: { called: 'app', exists: async (tx, orgId, id) => (await findApp(tx, orgId, id)) !== undefined },
  provider: {
    called: 'identity provider',
    exists: async (tx, orgId, id) => (await lockProviderForKeyShare(tx, orgId, id)) !== undefined,
  },
  userType: {
    called: 'user type',
    exists: async (tx, orgId, id) => (await readUserTypes(tx, orgId)).some((type) => type.id === id),
  },
};

const keyOf = ({ id, kind }: Reference): string => `${kind} ${id}`;

/**
 * Objects in `before` are not checked: they may have been deleted since, and this must not prevent other changes to the
 * document.
 */
export async function assertNamed(
  tx: Tx,
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
    if (await exists(tx, context.orgId, id)) continue;
    if (causes.length === 0) first = place;
    causes.push(`${place}: There is no ${called} ${id}.`);
  }
  if (causes.length > 0) throw invalidObject(first, causes);
}

export function checkExpressions({ userIdentifier }: DiscoveryConditions): void {
  for (const { matchType, value } of userIdentifier.patterns) {
    if (matchType === 'EXPRESSION') checkExpression('conditions.userIdentifier.patterns.value', value);
  }
}

/** Adds the types of the providers, which a client may omit. */
async function resolveProviders(tx: Tx, context: Context, { providers }: DiscoveryActions): Promise<DiscoveryActions> {
  const place = 'actions.idp.providers';
  if (providers.every(({ id }) => id === null)) return { providers };
  const resolve = async (provider: DiscoveryProvider): Promise<DiscoveryProvider> => {
    if (provider.id === null) return provider;
    const type = (await lockProviderForKeyShare(tx, context.orgId, provider.id))?.type;
    if (type === undefined) throw invalid(place, `There is no identity provider ${provider.id}.`);
    const wireType = wireProviderType(type, context.namespace.upper);
    if (provider.type !== null && provider.type !== wireType) {
      throw invalid(place, `The identity provider ${provider.id} is of the type ${wireType}.`);
    }
    return { id: provider.id, type };
  };
  return { providers: await Promise.all(providers.map(resolve)) };
}

/** Returns the document as it will be stored. `before` is the current rule, or null for a new one. */
export async function checkReferences(
  tx: Tx,
  context: Context,
  document: RuleDocument,
  before: RuleDocument | null,
): Promise<RuleDocument> {
  await assertNamed(tx, context, namesOfRule(document), before === null ? [] : namesOfRule(before));
  assertSeen(context, document);
  if (document.type !== 'IDP_DISCOVERY') return document;
  checkExpressions(document.conditions);
  return { ...document, actions: await resolveProviders(tx, context, document.actions) };
}
