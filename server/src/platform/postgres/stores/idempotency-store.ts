import type { Context } from '../../../kernel/context.ts';
import { apiError } from '../../../kernel/errors/errors.ts';
import type { Tx } from '../connections/database.ts';
import { prepared } from '../connections/statements.ts';

const LIFETIME_MILLISECONDS = 24 * 60 * 60 * 1_000;

const CLAIM = `insert into idempotency_keys (org_id, key_hash, request_hash, resource_id, status, created_at)
  values ($1, $2, $3, $4, 200, $5)
  on conflict (org_id, key_hash) do update
    set request_hash = excluded.request_hash, resource_id = excluded.resource_id, created_at = excluded.created_at
    where idempotency_keys.created_at < $6
  returning resource_id`;

const FIND = `select request_hash as "requestHash", resource_id as "resourceId" from idempotency_keys
  where org_id = $1 and key_hash = $2`;

/**
 * Records, in the creating transaction, that the request's idempotency key stands for `resourceId`. Waits for an
 * earlier request with this key if it still runs. Returns null if the caller must create the resource, or else the id
 * of the resource that the earlier request created.
 */
export async function claimIdempotency(tx: Tx, context: Context, resourceId: string): Promise<string | null> {
  if (context.idempotency === null) return null;
  const { keyHash, requestHash } = context.idempotency;
  const expired = new Date(context.now.getTime() - LIFETIME_MILLISECONDS);
  const values = [context.orgId, keyHash, requestHash, resourceId, context.now, expired];
  const claimed = await prepared(tx, 'idempotency_claim', CLAIM, values);
  if (claimed.length > 0) return null;
  const [earlier] = await prepared<{ requestHash: Buffer; resourceId: string }>(tx, 'idempotency_find', FIND, [
    context.orgId,
    keyHash,
  ]);
  if (earlier?.requestHash.equals(requestHash) === true) return earlier.resourceId;
  throw apiError('E0000195', { reason: 'Idempotency-Key was used for another request' });
}
