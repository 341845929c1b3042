import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { ClientId } from '../../../kernel/words/ids.ts';
import { getUser, lockUser, resolveUserId } from '../../../management/users/index.ts';
import { type Grant, type KeysetPage, keysetPage } from '../../../platform/http/index.ts';
import type { ConsentsPorts, PageQuery } from '../ports.ts';
import { userGrantVersion } from '../wire.ts';
import { assertClient } from './assert-client.ts';
import { findGrant, readGrants, type UserGrant } from './grant-store.ts';
import { withdrawGrants } from './withdraw-grants.ts';

/** `userId` may also be a login, a short login or `me`. A null `clientId` means all clients. */
export interface GrantsAddress {
  readonly userId: string;
  readonly clientId: ClientId | null;
}

const missing = (id: string) => notFound(id, 'OAuth2ScopeConsentGrant');

export async function listUserGrants(
  { cursors, db, users }: ConsentsPorts,
  context: Context,
  within: Grant,
  address: GrantsAddress,
  scopeId: string | undefined,
  { raw, ...page }: PageQuery,
): Promise<KeysetPage<UserGrant>> {
  const { orgId } = context;
  const { clientId } = address;
  const { id: userId } = await getUser(users, context, within, address.userId);
  if (clientId !== null) await assertClient(db, orgId, clientId);
  const of = { userId, clientId, scopeId: scopeId === undefined || scopeId === '' ? null : scopeId };
  return keysetPage(
    cursors,
    { orgId, list: `listUserGrants ${userId} ${clientId ?? ''}`, ...page, query: raw },
    (grant: UserGrant) => grant.id,
    (request) => readGrants(db, orgId, of, request),
  );
}

export async function getUserGrant(
  { db, users }: ConsentsPorts,
  context: Context,
  within: Grant,
  { grantId, userId }: { readonly userId: string; readonly grantId: string },
): Promise<UserGrant> {
  const user = await getUser(users, context, within, userId);
  const grant = await findGrant(db, context.orgId, user.id, grantId);
  if (grant === undefined) throw missing(grantId);
  return grant;
}

export async function revokeUserGrants(
  ports: ConsentsPorts,
  context: Context,
  within: Grant,
  address: GrantsAddress,
): Promise<void> {
  const userId = await resolveUserId(ports.db, context, address.userId, within);
  const { clientId } = address;
  await ports.work(context, async (tx, record) => {
    await lockUser(ports.users, tx, context, within, userId);
    if (clientId !== null) await assertClient(tx, context.orgId, clientId);
    await withdrawGrants(tx, record, context, { userId, clientId, id: null });
  });
}

export async function revokeUserGrant(
  ports: ConsentsPorts,
  context: Context,
  within: Grant,
  { grantId, ...address }: { readonly userId: string; readonly grantId: string },
): Promise<void> {
  const userId = await resolveUserId(ports.db, context, address.userId, within);
  await ports.work(context, async (tx, record) => {
    await lockUser(ports.users, tx, context, within, userId);
    const grant = await findGrant(tx, context.orgId, userId, grantId);
    if (grant === undefined) throw missing(grantId);
    assertVersion(context, userGrantVersion(grant));
    if ((await withdrawGrants(tx, record, context, { userId, clientId: null, id: grantId })) === 0) {
      throw missing(grantId);
    }
  });
}
