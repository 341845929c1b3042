import type { Context } from '../../../kernel/context.ts';
import { apiError } from '../../../kernel/errors/errors.ts';
import { limitReached } from '../../../kernel/errors/field-errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { FIRST_REVISION } from '../../../kernel/version.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import { claimIdempotency, waitForOthers } from '../../../platform/postgres/index.ts';
import type { Work } from '../../../system-log/index.ts';
import type { TrustedOriginInput } from '../contract.ts';
import { readName, readOrigin, readScopes } from '../rules.ts';
import { countTrustedOrigins, findTrustedOrigin, insertTrustedOrigin, type TrustedOrigin } from '../store.ts';
import { trustedOriginChange } from '../wire.ts';

/** Limit per org, because the edge caches all of them. */
export const MAXIMUM_TRUSTED_ORIGINS = 1_000;

function draft(context: Context, input: TrustedOriginInput): TrustedOrigin {
  const now = wholeSecond(context.now);
  return {
    id: newId('trustedOrigin', orgSuffixOf(context.orgId)),
    name: readName(input.name),
    origin: readOrigin(input.origin),
    scopes: readScopes(input.scopes, context.namespace.capitalised),
    status: input.status ?? 'ACTIVE',
    createdAt: now,
    createdBy: context.actor.id,
    lastUpdatedAt: now,
    lastUpdatedBy: context.actor.id,
    revision: FIRST_REVISION,
  };
}

/**
 * Trusts an origin. 400 E0000001 for text that is not exactly an origin, for a name or origin that the org has already,
 * and past 1,000 of them. A repeated `Idempotency-Key` returns what the first request created.
 */
export async function createTrustedOrigin(
  work: Work,
  context: Context,
  input: TrustedOriginInput,
): Promise<TrustedOrigin> {
  const origin = draft(context, input);
  return work(context, async (tx, record) => {
    const earlier = await claimIdempotency(tx, context, origin.id);
    if (earlier !== null) {
      const existing = await findTrustedOrigin(tx, context.orgId, earlier);
      if (existing === undefined) throw apiError('E0000195', { reason: 'what this key created is gone' });
      return existing;
    }
    await waitForOthers(tx, context.orgId, 'trusted_origins');
    const count = await countTrustedOrigins(tx, context.orgId, MAXIMUM_TRUSTED_ORIGINS);
    if (count >= MAXIMUM_TRUSTED_ORIGINS) {
      throw limitReached('origin', MAXIMUM_TRUSTED_ORIGINS, 'trusted origins');
    }
    await insertTrustedOrigin(tx, context.orgId, origin);
    record({ eventType: 'security.trusted_origin.create', target: [trustedOriginChange([null, origin])] });
    return origin;
  });
}
