import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Work } from '../../../system-log/index.ts';
import { type TrustedOriginAction, trustedOriginLifecycle } from '../lifecycle.ts';
import { findTrustedOriginForUpdate, type TrustedOrigin, updateTrustedOrigin } from '../store.ts';
import { trustedOriginChange, trustedOriginVersion } from '../wire.ts';

/** Activates or deactivates; an origin in that status already stays as it is, without an event. 404 E0000007. */
export function changeTrustedOriginStatus(
  work: Work,
  context: Context,
  id: string,
  action: TrustedOriginAction,
): Promise<TrustedOrigin> {
  return work(context, async (tx, record) => {
    const before = await findTrustedOriginForUpdate(tx, context.orgId, id);
    if (before === undefined) throw notFound(id, 'TrustedOrigin');
    assertVersion(context, trustedOriginVersion(before));
    if (!trustedOriginLifecycle.allows(before.status, action)) return before;
    const { to, event } = trustedOriginLifecycle.transition(action);
    const lastUpdatedAt = wholeSecond(context.now);
    const after = {
      ...before,
      status: to[0],
      lastUpdatedAt,
      lastUpdatedBy: context.actor.id,
      revision: before.revision + 1,
    };
    await updateTrustedOrigin(tx, context.orgId, after);
    record({ eventType: event, target: [trustedOriginChange([before, after])] });
    return after;
  });
}
