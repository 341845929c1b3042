import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Work } from '../../../system-log/index.ts';
import type { TrustedOriginInput } from '../contract.ts';
import { readName, readOrigin, readScopes } from '../rules.ts';
import { findTrustedOriginForUpdate, type TrustedOrigin, updateTrustedOrigin } from '../store.ts';
import { trustedOriginChange, trustedOriginVersion } from '../wire.ts';

/**
 * Replaces name, origin, scopes and, where given, status by the body's. A change of nothing records no event. 404
 * E0000007; 400 as on create.
 */
export async function replaceTrustedOrigin(
  work: Work,
  context: Context,
  id: string,
  input: TrustedOriginInput,
): Promise<TrustedOrigin> {
  const origin = readOrigin(input.origin);
  const scopes = readScopes(input.scopes, context.namespace.capitalised);
  return work(context, async (tx, record) => {
    const before = await findTrustedOriginForUpdate(tx, context.orgId, id);
    if (before === undefined) throw notFound(id, 'TrustedOrigin');
    assertVersion(context, trustedOriginVersion(before));
    const name = readName(input.name, before.name);
    const status = input.status ?? before.status;
    const lastUpdatedAt = wholeSecond(context.now);
    const after = {
      ...before,
      name,
      origin,
      scopes,
      status,
      lastUpdatedAt,
      lastUpdatedBy: context.actor.id,
      revision: before.revision + 1,
    };
    const target = trustedOriginChange([before, after]);
    if (target.changeDetails === undefined) return before;
    await updateTrustedOrigin(tx, context.orgId, after);
    record({ eventType: 'security.trusted_origin.update', target: [target] });
    return after;
  });
}
