import type { Context } from '../../../kernel/context.ts';
import type { ClientId } from '../../../kernel/words/ids.ts';
import { type Db, readTogether } from '../../../platform/postgres/index.ts';
import { findSeenParents, type NamingGrant, type SeenParents } from '../../user-tokens/index.ts';
import type { TokenPlace, UserGrantPorts } from './user-grant.ts';

export interface GrantPlace extends Pick<TokenPlace, 'server'> {
  readonly clientId: ClientId;
}

interface Found<Grant> {
  readonly found: Grant | undefined;
  /** The parents of the tokens; undefined for a custom server, whose tokens depend on more, or if one is missing. */
  readonly parents: SeenParents | undefined;
}

export const NOTHING_FOUND: Found<never> = { found: undefined, parents: undefined };

/**
 * Finds a grant and, for the org's own server, the parents of its tokens. Both queries are sent in one packet and take
 * no locks.
 */
export async function findGrant<Grant>(
  { db }: Pick<UserGrantPorts, 'db'>,
  context: Context,
  place: GrantPlace,
  find: (db: Db) => Promise<Grant | undefined>,
  naming: NamingGrant,
): Promise<Found<Grant>> {
  if (place.server !== null) return { found: await find(db), parents: undefined };
  const [found, parents] = await readTogether(db, (together) =>
    Promise.all([find(together), findSeenParents(together, context.orgId, place.clientId, naming)]),
  );
  return { found, parents };
}
