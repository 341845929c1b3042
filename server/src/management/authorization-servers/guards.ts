import type { Context } from '../../kernel/context.ts';
import { invalid, notFound } from '../../kernel/errors/errors.ts';
import type { Db, Tx } from '../../platform/postgres/index.ts';
import { createOnce } from '../resource/index.ts';
import { type ClaimValues } from './claims/claim-rules.ts';
import { SERVER_CLAIMS, type ServerClaim } from './claims/claim-store.ts';
import { SERVER_POLICIES, type StoredPolicy } from './policies/policy-store.ts';
import { type RulesPlace, SERVER_RULES, type StoredRule } from './rules/rule-store.ts';
import { findScopeNames, SERVER_SCOPES, type ServerScope } from './scopes/scope-store.ts';
import { type AuthorizationServer, findServer, findServerForUpdate } from './store.ts';

export interface PartPlace {
  readonly authServerId: string;
  readonly id: string;
}

export interface Found<Part> {
  readonly server: AuthorizationServer;
  readonly part: Part;
}

/** `id` may be `default`. */
export async function getServer(db: Db, context: Context, id: string): Promise<AuthorizationServer> {
  const server = await findServer(db, context.orgId, id);
  if (server === undefined) throw notFound(id, 'AuthorizationServer');
  return server;
}

export async function lockServer(tx: Tx, context: Context, id: string): Promise<AuthorizationServer> {
  const server = await findServerForUpdate(tx, context.orgId, id);
  if (server === undefined) throw notFound(id, 'AuthorizationServer');
  return server;
}

type Find<Part> = (db: Tx, orgId: Context['orgId'], serverId: string, id: string) => Promise<Part | undefined>;

async function getPart<Part>(
  db: Db,
  context: Context,
  { authServerId, id }: PartPlace,
  type: string,
  find: Find<Part>,
): Promise<Found<Part>> {
  const server = await getServer(db, context, authServerId);
  const part = await find(db, context.orgId, server.id, id);
  if (part === undefined) throw notFound(id, type);
  return { server, part };
}

export const getScope = (db: Db, context: Context, place: PartPlace): Promise<Found<ServerScope>> =>
  getPart(db, context, place, 'OAuth2Scope', SERVER_SCOPES.find);
export const lockScope = (tx: Tx, context: Context, place: PartPlace): Promise<Found<ServerScope>> =>
  getPart(tx, context, place, 'OAuth2Scope', SERVER_SCOPES.findForUpdate);
export const getClaim = (db: Db, context: Context, place: PartPlace): Promise<Found<ServerClaim>> =>
  getPart(db, context, place, 'OAuth2Claim', SERVER_CLAIMS.find);
export const lockClaim = (tx: Tx, context: Context, place: PartPlace): Promise<Found<ServerClaim>> =>
  getPart(tx, context, place, 'OAuth2Claim', SERVER_CLAIMS.findForUpdate);
export const getPolicy = (db: Db, context: Context, place: PartPlace): Promise<Found<StoredPolicy>> =>
  getPart(db, context, place, 'Policy', SERVER_POLICIES.find);
export const lockPolicy = (tx: Tx, context: Context, place: PartPlace): Promise<Found<StoredPolicy>> =>
  getPart(tx, context, place, 'Policy', SERVER_POLICIES.findForUpdate);

/** Locks the server and the policy, because moving or deleting a policy shifts other policies. */
export async function lockPolicyAndOrder(tx: Tx, context: Context, place: PartPlace): Promise<Found<StoredPolicy>> {
  await lockServer(tx, context, place.authServerId);
  return lockPolicy(tx, context, place);
}

export async function getRule(db: Db, context: Context, place: RulesPlace, id: string): Promise<StoredRule> {
  const rule = await SERVER_RULES.find(db, context.orgId, place.serverId, place.policyId, id);
  if (rule === undefined) throw notFound(id, 'PolicyRule');
  return rule;
}

export function assertNotSystem(kind: string, { isSystem }: { readonly isSystem: boolean }, verb: string): void {
  if (isSystem) throw invalid(kind, `A system ${kind} cannot be ${verb}.`);
}

/** Accepts unknown scopes that `before` contains. */
export async function assertScopesExist(
  db: Db,
  context: Context,
  serverId: string,
  place: string,
  { before, names }: { readonly names: ClaimValues['scopes']; readonly before: readonly string[] },
): Promise<void> {
  const asked = names.filter((name) => !before.includes(name));
  if (asked.length === 0) return;
  const known = await findScopeNames(db, context.orgId, serverId, asked);
  const unknown = asked.find((name) => !known.has(name));
  if (unknown !== undefined) throw invalid(place, `There is no scope ${unknown}.`);
}

/** Creates a part, or returns the part that an earlier request with the same `Idempotency-Key` created. */
export async function createPartOnce<Part>(
  tx: Tx,
  context: Context,
  server: AuthorizationServer,
  id: string,
  find: (id: string) => Promise<Part | undefined>,
  make: () => Promise<Part>,
): Promise<Found<Part>> {
  return { server, part: await createOnce(tx, context, id, (_tx, _orgId, made) => find(made), make) };
}
