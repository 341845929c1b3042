import { isDeepStrictEqual } from 'node:util';
import { grantOf, lacksScope, mayActOn, rolesOfHolder } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { apiError } from '../../../kernel/errors/errors.ts';
import type { AppId, ClientId } from '../../../kernel/words/ids.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { isClientDocument } from '../documents/document-contract.ts';
import { findGrants } from '../grants/grant-store.ts';
import type { StoredKey } from '../keys/jwk-stored.ts';
import type { App } from '../store.ts';

/** Returns whether the caller holds all rights of a client's roles. */
export async function mayActOnClient(tx: Tx, context: Context, clientId: ClientId): Promise<boolean> {
  if (context.principal.kind === 'system') return true;
  return mayActOn(context.roles, await rolesOfHolder(tx, context.orgId, clientId));
}

/**
 * Throws 403 E0000006 when the client has rights that the caller lacks, because the caller could otherwise act as the
 * client. Needs the lock on the app's row.
 */
export async function assertMayActOnClient(tx: Tx, context: Context, clientId: ClientId): Promise<void> {
  if (!(await mayActOnClient(tx, context, clientId))) throw apiError('E0000006');
}

async function grantedScopes(tx: Tx, { orgId }: Context, appId: AppId): Promise<string[]> {
  return (await findGrants(tx, orgId, appId)).map(({ scope }) => scope);
}

/** Throws 403 E0000006 if the caller's token is limited to scopes, and one of the client's scopes is not among them. */
export async function assertHasScopesOf(tx: Tx, context: Context, appId: AppId): Promise<void> {
  if (lacksScope(context, await grantedScopes(tx, context, appId))) throw apiError('E0000006');
}

/** Returns whether a client can get tokens of users. */
const servesUsers = ({ document }: App): boolean =>
  isClientDocument(document) && document.settings.oauthClient.grant_types.some((type) => type !== 'client_credentials');

/** Returns whether the caller could grant the scopes of the API to any client. */
const mayGrantScopes = ({ principal, roles }: Context): boolean =>
  principal.kind === 'system' || grantOf(roles, 'appGrants.manage')?.kind === 'all';

/**
 * Returns whether the caller may set the credentials of the client, or the destinations of its codes and tokens. A
 * caller who sets either of these could act as the client, so the caller's token must not lack any of the client's
 * scopes. Tokens of users carry the rights of those users. Therefore, if the client has scopes and can get tokens of
 * users, the caller also needs the right to grant scopes to any client.
 */
export async function mayProveClient(tx: Tx, context: Context, app: App, after: App = app): Promise<boolean> {
  const scopes = await grantedScopes(tx, context, app.id);
  if (lacksScope(context, scopes)) return false;
  return scopes.length === 0 || mayGrantScopes(context) || ![app, after].some(servesUsers);
}

export async function assertMayProveClient(tx: Tx, context: Context, app: App): Promise<void> {
  if (!(await mayProveClient(tx, context, app))) throw apiError('E0000006');
}

export interface ClientState {
  readonly app: App;
  readonly keys: readonly StoredKey[];
}

function clientPart({ app: { document }, keys }: ClientState): unknown {
  if (!isClientDocument(document)) return null;
  return [document.credentials.oauthClient, document.settings.oauthClient, keys];
}

/** Compares whole objects, so that no member can be forgotten. */
export async function assertMayReplaceClient(
  tx: Tx,
  context: Context,
  [before, after]: readonly [ClientState, ClientState],
  isSecretNew: boolean,
): Promise<void> {
  if (!isSecretNew && isDeepStrictEqual(clientPart(before), clientPart(after))) return;
  if (!(await mayProveClient(tx, context, before.app, after.app))) throw apiError('E0000006');
}
