import type { Context } from '../../kernel/context.ts';
import { apiError } from '../../kernel/errors/errors.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import { claimIdempotency, type Tx } from '../../platform/postgres/index.ts';

/**
 * Creates the object with this id, or finds the object that an earlier request with the same `Idempotency-Key` created.
 * Throws 409 E0000195 when that object no longer exists.
 */
export async function createOnce<Made>(
  tx: Tx,
  context: Context,
  id: string,
  find: (tx: Tx, orgId: OrgId, id: string) => Promise<Made | undefined>,
  make: () => Promise<Made>,
): Promise<Made> {
  const earlier = await claimIdempotency(tx, context, id);
  if (earlier === null) return make();
  const existing = await find(tx, context.orgId, earlier);
  if (existing === undefined) {
    throw apiError('E0000195', { reason: 'the resource created with this Idempotency-Key no longer exists' });
  }
  return existing;
}
