import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { findClientIds } from '../../apps/index.ts';
import { findGroups } from '../../groups/index.ts';
import { findUsersByIds } from '../../users/index.ts';
import { assertScopesExist } from '../guards.ts';
import { ALL_CLIENTS, ANY_SCOPE, EVERYONE, type ServerRuleConditions } from '../policies/policy-rules.ts';

/** A rule or policy may name objects that have since been deleted. Their deletion must not prevent other changes. */
const newIds = (names: readonly string[], before: readonly string[], word: string): readonly string[] =>
  names.filter((name) => name !== word && !before.includes(name));

const idsOf = (found: readonly { readonly id: string }[]): string[] => found.map(({ id }) => id);

function assertFound(place: string, called: string, asked: readonly string[], found: readonly string[]): void {
  const known = new Set(found);
  const unknown = asked.find((id) => !known.has(id));
  if (unknown !== undefined) throw invalid(place, `There is no ${called} ${unknown}.`);
}

export async function assertClientsExist(
  db: Db,
  { orgId }: Context,
  clients: readonly string[],
  before: readonly string[],
): Promise<void> {
  const asked = newIds(clients, before, ALL_CLIENTS);
  if (asked.length === 0) return;
  assertFound('conditions.clients.include', 'client', asked, await findClientIds(db, orgId, asked));
}

const NOBODY: ServerRuleConditions['people'] = {
  users: { include: [], exclude: [] },
  groups: { include: [], exclude: [] },
};

export async function assertConditionsExist(
  db: Db,
  context: Context,
  serverId: string,
  { people, scopes }: ServerRuleConditions,
  before: ServerRuleConditions | null,
): Promise<void> {
  const { orgId } = context;
  const former = before?.people ?? NOBODY;
  for (const side of ['include', 'exclude'] as const) {
    const users = newIds(people.users[side], former.users[side], '');
    if (users.length > 0) {
      assertFound(`conditions.people.users.${side}`, 'user', users, idsOf(await findUsersByIds(db, orgId, users)));
    }
    const groups = newIds(people.groups[side], former.groups[side], EVERYONE);
    if (groups.length > 0) {
      assertFound(`conditions.people.groups.${side}`, 'group', groups, idsOf(await findGroups(db, orgId, groups)));
    }
  }
  const names = newIds(scopes.include, before?.scopes.include ?? [], ANY_SCOPE);
  await assertScopesExist(db, context, serverId, 'conditions.scopes.include', { names, before: [] });
}
