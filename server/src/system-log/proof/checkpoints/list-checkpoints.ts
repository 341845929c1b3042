import type { Context } from '../../../kernel/context.ts';
import { wireDate } from '../../../kernel/texts/dates.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import { type CursorCodec, type KeysetPage, keysetPage } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { readCheckpoints, type StoredCheckpoint } from './checkpoint-store.ts';

export interface ListCheckpointsQuery {
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
}

export interface WireCheckpoint {
  readonly position: number;
  /** The hash in base64url, which is also its form in the statement. */
  readonly hash: string;
  readonly created: string;
  readonly jws: string;
}

export const wireCheckpoint = ({ createdAt, hash, position, signed }: StoredCheckpoint): WireCheckpoint => ({
  position,
  hash: hash.toString('base64url'),
  created: wireDate(createdAt),
  jws: signed,
});

export const listCheckpoints = (
  ports: { readonly db: Db; readonly cursors: CursorCodec },
  { orgId }: Context,
  { after, before, limit }: ListCheckpointsQuery,
  query: readonly (readonly [string, string])[],
): Promise<KeysetPage<StoredCheckpoint>> =>
  keysetPage(
    ports.cursors,
    { orgId, list: 'listLogCheckpoints', limit, after, before, query },
    ({ position }: StoredCheckpoint) => position,
    (request) => readCheckpoints(ports.db, orgId, request),
  );

export const listNewestCheckpoints = async (db: Db, orgId: OrgId, rows: number): Promise<WireCheckpoint[]> =>
  (await readCheckpoints(db, orgId, { key: null, backwards: false, rows })).map(wireCheckpoint);
