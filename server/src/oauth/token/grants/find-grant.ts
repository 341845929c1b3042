import type { Context } from '../../../kernel/context.ts';
import type { ClientId } from '../../../kernel/words/ids.ts';
import { startAhead, type Tx } from '../../../platform/postgres/index.ts';
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
  ports: Pick<UserGrantPorts, 'work' | 'db'>,
  context: Context,
  place: GrantPlace,
  find: (tx: Tx) => Promise<Grant | undefined>,
  naming: NamingGrant,
): Promise<Found<Grant>> {
  if (place.server !== null) return { found: await find(ports.db), parents: undefined };
  const { result } = await ports.work(context, async (tx) =>
    startAhead(tx, () => Promise.all([find(tx), findSeenParents(tx, context.orgId, place.clientId, naming)])),
  );
  const [found, parents] = await result;
  return { found, parents };
}
