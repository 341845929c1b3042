import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Work } from '../../../system-log/index.ts';
import { findTrustedOriginForUpdate, removeTrustedOrigin } from '../store.ts';
import { trustedOriginChange, trustedOriginVersion } from '../wire.ts';

/** 404 E0000007 when the org has none of this id; any status may be deleted. */
export function deleteTrustedOrigin(work: Work, context: Context, id: string): Promise<void> {
  return work(context, async (tx, record) => {
    const origin = await findTrustedOriginForUpdate(tx, context.orgId, id);
    if (origin === undefined) throw notFound(id, 'TrustedOrigin');
    assertVersion(context, trustedOriginVersion(origin));
    await removeTrustedOrigin(tx, context.orgId, id);
    record({ eventType: 'security.trusted_origin.delete', target: [trustedOriginChange([origin, null])] });
  });
}
