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

/** Whether the caller holds all that a client holds as an administrator; the service itself always does. */
export async function mayActOnClient(tx: Tx, context: Context, clientId: ClientId): Promise<boolean> {
  if (context.principal.kind === 'system') return true;
  return mayActOn(context.roles, await rolesOfHolder(tx, context.orgId, clientId));
}

/**
 * 403 E0000006 when the client holds more than the caller: whoever changes its keys, secrets, grants or roles could act
 * as it. To be asked under the lock of the app's row, which a role that is being granted waits for too.
 */
export async function assertMayActOnClient(tx: Tx, context: Context, clientId: ClientId): Promise<void> {
  if (!(await mayActOnClient(tx, context, clientId))) throw apiError('E0000006');
}

async function grantedScopes(tx: Tx, { orgId }: Context, appId: AppId): Promise<string[]> {
  return (await findGrants(tx, orgId, appId)).map(({ scope }) => scope);
}

/**
 * 403 E0000006 when the client may ask for scopes that the token of the caller lacks. Credentials without scopes are
 * not asked for any.
 */
export async function assertHasScopesOf(tx: Tx, context: Context, appId: AppId): Promise<void> {
  if (lacksScope(context, await grantedScopes(tx, context, appId))) throw apiError('E0000006');
}

/** Whether a client gets tokens of users: all grants but its own are for those. */
const servesUsers = ({ document }: App): boolean =>
  isClientDocument(document) && document.settings.oauthClient.grant_types.some((type) => type !== 'client_credentials');

/** Whether the caller could grant the scopes of the API to any client. */
const mayGrantScopes = ({ principal, roles }: Context): boolean =>
  principal.kind === 'system' || grantOf(roles, 'appGrants.manage')?.kind === 'all';

/**
 * Whether the caller may have what the client proves itself with, or say where its codes and tokens go: he could ask
 * for the client's scopes as the client. Tokens of users act with the roles of their users, whoever they are; so where
 * there are such tokens, before or after the change, it takes the right to grant the scopes.
 */
export async function mayProveClient(tx: Tx, context: Context, app: App, after: App = app): Promise<boolean> {
  const scopes = await grantedScopes(tx, context, app.id);
  if (lacksScope(context, scopes)) return false;
  return scopes.length === 0 || mayGrantScopes(context) || ![app, after].some(servesUsers);
}

/** 403 E0000006 when the caller could use scopes as the client that he may not grant. */
export async function assertMayProveClient(tx: Tx, context: Context, app: App): Promise<void> {
  if (!(await mayProveClient(tx, context, app))) throw apiError('E0000006');
}

/** What of an app is a client. */
export interface ClientState {
  readonly app: App;
  readonly keys: readonly StoredKey[];
}

function clientPart({ app: { document }, keys }: ClientState): unknown {
  if (!isClientDocument(document)) return null;
  return [document.credentials.oauthClient, document.settings.oauthClient, keys];
}

/**
 * The same of a replacement. Whole settings are compared: what is left alone never needs the right, what is new always
 * does, and no member can be forgotten.
 */
export async function assertMayReplaceClient(
  tx: Tx,
  context: Context,
  [before, after]: readonly [ClientState, ClientState],
  isSecretNew: boolean,
): Promise<void> {
  if (!isSecretNew && isDeepStrictEqual(clientPart(before), clientPart(after))) return;
  if (!(await mayProveClient(tx, context, before.app, after.app))) throw apiError('E0000006');
}
