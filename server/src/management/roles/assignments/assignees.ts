import { assertHolds, rolesOfHolder } from '../../../access/index.ts';
import { type Context, userIdOf } from '../../../kernel/context.ts';
import { apiError, notFound } from '../../../kernel/errors/errors.ts';
import type { Db, Tx } from '../../../platform/postgres/index.ts';
import type { EventType, Target } from '../../../system-log/index.ts';
import {
  type Assignee,
  type AssigneeKind,
  countMembers,
  findAssignee,
  findAssigneeForUpdate,
  isFilledByRule,
} from './assignee-store.ts';

interface KindFacts {
  /** The type that a 404 names. */
  readonly noun: string;
  readonly path: string;
  readonly targetType: string;
  readonly granted: EventType;
  readonly revoked: EventType;
}

export const KINDS: Readonly<Record<AssigneeKind, KindFacts>> = {
  USER: {
    noun: 'User',
    path: '/api/v1/users',
    targetType: 'User',
    granted: 'user.account.privilege.grant',
    revoked: 'user.account.privilege.revoke',
  },
  GROUP: {
    noun: 'UserGroup',
    path: '/api/v1/groups',
    targetType: 'UserGroup',
    granted: 'group.privilege.grant',
    revoked: 'group.privilege.revoke',
  },
  CLIENT: {
    noun: 'AppInstance',
    path: '/oauth2/v1/clients',
    targetType: 'AppInstance',
    granted: 'app.oauth2.client.privilege.grant',
    revoked: 'app.oauth2.client.privilege.revoke',
  },
};

export const assigneeAddress = (
  { id, kind }: Pick<Assignee, 'id' | 'kind'>,
  { baseUrl }: Pick<Context, 'baseUrl'>,
): string => `${baseUrl}${KINDS[kind].path}/${id}`;

export const assigneeTarget = ({ displayName, kind, name, targetId }: Assignee): Target => ({
  id: targetId,
  type: KINDS[kind].targetType,
  alternateId: name,
  displayName,
});

export async function getAssignee(db: Db, context: Context, kind: AssigneeKind, id: string): Promise<Assignee> {
  const assignee = await findAssignee(db, context.orgId, kind, id);
  if (assignee === undefined) throw notFound(id, KINDS[kind].noun);
  return assignee;
}

/**
 * Throws 403 E0000006 for an assignee with rights that the caller lacks, unless the assignee is the caller's own user.
 */
export async function lockAssignee(tx: Tx, context: Context, kind: AssigneeKind, id: string): Promise<Assignee> {
  const assignee = await findAssigneeForUpdate(tx, context.orgId, kind, id);
  if (assignee === undefined) throw notFound(id, KINDS[kind].noun);
  const isSelf = kind === 'USER' && userIdOf(context.principal) === id;
  if (!isSelf) assertHolds(context, await rolesOfHolder(tx, context.orgId, id));
  return assignee;
}

const MAXIMUM_MEMBERS = 5_000;

/**
 * Nobody may gain power through a rule, an identity provider or another directory, or only by being a user of the org.
 */
export async function assertMayHoldRoles(tx: Tx, context: Context, { groupType, id, kind }: Assignee): Promise<void> {
  if (kind !== 'GROUP') return;
  if (groupType === 'BUILT_IN') throw apiError('E0000211', { reason: id });
  if (groupType !== 'NATIVE_GROUP') throw apiError('E0000194', { reason: id });
  if (await isFilledByRule(tx, context.orgId, id)) throw apiError('E0000192', { reason: id });
  const members = await countMembers(tx, context.orgId, id, MAXIMUM_MEMBERS + 1);
  if (members > MAXIMUM_MEMBERS) throw apiError('E0000193', { reason: id });
}
