import type { Context } from '../../../kernel/context.ts';
import { type Db, type FindById, gatherReads, readTogether } from '../../../platform/postgres/index.ts';
import { findAuthorizationCode, findAuthorizationCodes, type SeenCode } from '../../authorization-codes/index.ts';
import type { ServerConfiguration } from '../../custom-servers/index.ts';
import { findRefreshToken, findRefreshTokens, type SeenRefreshToken } from '../../refresh-tokens/index.ts';
import { findSeenParents, type NamingGrants, type SeenParents } from '../../user-tokens/index.ts';

interface Found<Grant> {
  readonly found: Grant | undefined;
  /** The parents of the tokens; undefined for a custom server, whose tokens depend on more, or if one is missing. */
  readonly parents: SeenParents | undefined;
}

export const NOTHING_FOUND: Found<never> = { found: undefined, parents: undefined };

/** A null `server` means the org's own. */
type Find<Grant, Key> = (
  context: Context,
  place: { readonly server: ServerConfiguration | null },
  key: Key,
) => Promise<Found<Grant>>;

/** Readers of stored grants. They take no locks. */
export interface GrantFinders {
  readonly code: Find<SeenCode, Buffer>;
  readonly refreshToken: Find<SeenRefreshToken, string>;
}

const CODES = {
  name: 'authorization_codes_parents',
  table: 'authorization_codes',
  key: 'code_hash',
  type: 'bytea[]',
  familiesAt: '',
} as const satisfies NamingGrants;

const REFRESH_TOKENS = {
  name: 'refresh_tokens_parents',
  table: 'refresh_tokens',
  key: 'id',
  type: 'text[]',
  familiesAt: null,
} as const satisfies NamingGrants;

type FoundById<Grant> = Found<Grant> & { readonly id: string };

/**
 * For the org's own server, the grants of simultaneous requests are read together, with the parents of their tokens.
 * Both queries are sent in one packet.
 */
export function createGrantFinders(db: Db): GrantFinders {
  const codes: FindById<FoundById<SeenCode>> = gatherReads(async (orgId, ids) => {
    const hashes = ids.map((id) => Buffer.from(id, 'hex'));
    const [found, parents] = await readTogether(db, (together) =>
      Promise.all([
        findAuthorizationCodes(together, orgId, hashes),
        findSeenParents<Buffer>(together, orgId, CODES, hashes),
      ]),
    );
    const parentsOf = new Map(parents.map((one) => [one.key.toString('hex'), one.parents]));
    return found.map((code) => {
      const id = code.hash.toString('hex');
      return { id, found: code, parents: parentsOf.get(id) };
    });
  });
  const refreshTokens: FindById<FoundById<SeenRefreshToken>> = gatherReads(async (orgId, ids) => {
    const [found, parents] = await readTogether(db, (together) =>
      Promise.all([
        findRefreshTokens(together, orgId, ids),
        findSeenParents<string>(together, orgId, REFRESH_TOKENS, ids),
      ]),
    );
    const parentsOf = new Map(parents.map((one) => [one.key, one.parents]));
    return found.map((token) => ({ id: token.id, found: token, parents: parentsOf.get(token.id) }));
  });
  return {
    code: async ({ orgId }, { server }, hash) =>
      server === null
        ? ((await codes(orgId, hash.toString('hex'))) ?? NOTHING_FOUND)
        : { found: await findAuthorizationCode(db, orgId, hash), parents: undefined },
    refreshToken: async ({ orgId }, { server }, id) =>
      server === null
        ? ((await refreshTokens(orgId, id)) ?? NOTHING_FOUND)
        : { found: await findRefreshToken(db, orgId, id), parents: undefined },
  };
}
