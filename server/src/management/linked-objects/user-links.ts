import type { Context } from '../../kernel/context.ts';
import { invalid, notFound } from '../../kernel/errors/errors.ts';
import { type CursorCodec, type Grant, type KeysetPage, keysetPage, pageLinks } from '../../platform/http/index.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import type { Target } from '../../system-log/index.ts';
import { getUser, lockUser, resolveUserId, type UserRow, type UsersPorts, userTarget } from '../users/index.ts';
import { getDefinition } from './definitions.ts';
import { type Definition, findPrimary, lockDefinition, readAssociated, removePrimary, storePrimary } from './store.ts';

export interface UserLinkPorts {
  readonly users: UsersPorts;
  readonly cursors: CursorCodec;
}

export interface UserLinksQuery {
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
}

/** Lists the ids of the users who are linked to a user: the primary, or a page of associated users. */
export async function listLinkedUsers(
  ports: UserLinkPorts,
  context: Context,
  grant: Grant,
  path: { readonly userIdOrLogin: string; readonly relationshipName: string },
  query: UserLinksQuery,
  rawQuery: readonly (readonly [string, string])[],
): Promise<KeysetPage<string>> {
  const { db } = ports.users;
  const user = await getUser(ports.users, context, grant, path.userIdOrLogin);
  const { primary } = await getDefinition(db, context, path.relationshipName);
  const { limit } = query;
  if (primary.name === path.relationshipName) {
    const found = await findPrimary(db, context.orgId, primary.name, user.id);
    const links = pageLinks({ query: rawQuery, limit, next: null, previous: null });
    return { rows: found === null ? [] : [found], links };
  }
  return keysetPage(
    ports.cursors,
    { orgId: context.orgId, list: `listLinkedObjectsForUser ${user.id} ${primary.name}`, ...query, query: rawQuery },
    (id: string) => id,
    (request) => readAssociated(db, context.orgId, primary.name, user.id, request),
  );
}

/** Locks a definition against deletion. Throws 404 E0000007 for the name of the associated side. */
async function lockByPrimaryName(tx: Tx, context: Context, name: string): Promise<Definition> {
  const definition = await lockDefinition(tx, context.orgId, name, 'key share');
  if (definition?.primary.name !== name) throw notFound(name, 'LinkedObject');
  return definition;
}

function linkChange(user: UserRow, name: string, [had, has]: readonly [string | null, string | null]): Target {
  const member = `linkedObjects.${name}`;
  return { ...userTarget(user), changeDetails: { from: { [member]: had }, to: { [member]: has } } };
}

export async function assignPrimary(
  ports: UserLinkPorts,
  context: Context,
  grant: Grant,
  path: { readonly userIdOrLogin: string; readonly primaryRelationshipName: string; readonly primaryUserId: string },
): Promise<void> {
  const { users } = ports;
  const associatedId = await resolveUserId(users.db, context, path.userIdOrLogin, grant);
  const primary = await getUser(users, context, grant, path.primaryUserId);
  const name = path.primaryRelationshipName;
  await users.work(context, async (tx, record) => {
    const associated = await lockUser(users, tx, context, grant, associatedId);
    await lockByPrimaryName(tx, context, name);
    if (primary.id === associated.id) {
      throw invalid(name, `A user cannot be their own primary.`);
    }
    const had = await findPrimary(tx, context.orgId, name, associated.id);
    if (had === primary.id) return;
    await storePrimary(tx, context.orgId, name, { associatedId: associated.id, primaryId: primary.id });
    record({ eventType: 'user.account.update_profile', target: [linkChange(associated, name, [had, primary.id])] });
  });
}

export async function removeLink(
  ports: UserLinkPorts,
  context: Context,
  grant: Grant,
  path: { readonly userIdOrLogin: string; readonly relationshipName: string },
): Promise<void> {
  const { users } = ports;
  const userId = await resolveUserId(users.db, context, path.userIdOrLogin, grant);
  const name = path.relationshipName;
  await users.work(context, async (tx, record) => {
    const associated = await lockUser(users, tx, context, grant, userId);
    await lockByPrimaryName(tx, context, name);
    const had = await findPrimary(tx, context.orgId, name, associated.id);
    if (had === null) return;
    await removePrimary(tx, context.orgId, name, associated.id);
    record({ eventType: 'user.account.update_profile', target: [linkChange(associated, name, [had, null])] });
  });
}
