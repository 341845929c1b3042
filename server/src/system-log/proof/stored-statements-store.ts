import type { OrgId } from '../../kernel/words/ids.ts';
import { type LogConnection, rowsOf } from '../relay/connections.ts';
import type { ChainPlace } from '../relay/ledger-store.ts';

const MAXIMUM_CHECKPOINTS = 10_000;

/** Reads the checkpoints after a position, in order. If there are more than `MAXIMUM_CHECKPOINTS`, reads the newest. */
export async function findStoredCheckpoints(
  connection: LogConnection,
  orgId: OrgId,
  after: number,
): Promise<(ChainPlace & { readonly signed: string })[]> {
  const rows = await rowsOf<{ position: string | number; hash: Buffer; signed: string }>(
    connection,
    `select position, hash, signed from (
       select position, hash, signed from log_checkpoints where org_id = $1 and position > $2::bigint
       order by position desc limit $3::integer
     ) newest order by position`,
    [orgId, after, MAXIMUM_CHECKPOINTS],
  );
  return rows.map(({ hash, position, signed }) => ({ position: Number(position), hash, signed }));
}

export async function findStoredKeys(connection: LogConnection, orgId: OrgId): Promise<readonly unknown[]> {
  const rows = await rowsOf<{ kid: string; public_jwk: object }>(
    connection,
    'select kid, public_jwk from log_keys where org_id = $1',
    [orgId],
  );
  return rows.map(({ kid, public_jwk }) => ({ ...public_jwk, kid }));
}
