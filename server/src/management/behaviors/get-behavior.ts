import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors/errors.ts';
import { assertVersion } from '../../kernel/version.ts';
import { type CursorCodec, type KeysetPage, keysetPage } from '../../platform/http/index.ts';
import type { Db, Tx } from '../../platform/postgres/index.ts';
import { type Behavior, findBehavior, findBehaviorForUpdate, readBehaviors } from './store.ts';
import { behaviorVersion } from './wire.ts';

/** 404 E0000007 when the org has none of this id. */
export async function getBehavior(db: Db, context: Context, id: string): Promise<Behavior> {
  const behavior = await findBehavior(db, context.orgId, id);
  if (behavior === undefined) throw notFound(id, 'Behavior');
  return behavior;
}

/** Returns the behavior, locked. 404 E0000007; 412 E0000231 where the client has another version. */
export async function lockBehavior(tx: Tx, context: Context, id: string): Promise<Behavior> {
  const behavior = await findBehaviorForUpdate(tx, context.orgId, id);
  if (behavior === undefined) throw notFound(id, 'Behavior');
  assertVersion(context, behaviorVersion(behavior));
  return behavior;
}

export interface ListBehaviorsQuery {
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
}

/** Lists one page of the org's behaviors, by id. 400 E0000001 for a cursor. */
export const listBehaviors = (
  { cursors, db }: { readonly db: Db; readonly cursors: CursorCodec },
  { orgId }: Context,
  { after, before, limit }: ListBehaviorsQuery,
  query: readonly (readonly [string, string])[],
): Promise<KeysetPage<Behavior>> =>
  keysetPage(
    cursors,
    { orgId, list: 'listBehaviorDetectionRules', limit, after, before, query },
    (behavior: Behavior) => behavior.id,
    (request) => readBehaviors(db, orgId, request),
  );
