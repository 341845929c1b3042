import type { Context } from '../../../kernel/context.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Work } from '../../../system-log/index.ts';
import type { ServerInput } from '../contract.ts';
import { lockServer } from '../guards.ts';
import { authorizationServerLifecycle } from '../lifecycle.ts';
import { type AuthorizationServer, updateServer } from '../store.ts';
import { serverChange, serverVersion } from '../wire.ts';
import { readServer } from './server-rules.ts';

/**
 * Replaces name, description and audience by the body's, and status, issuer mode and key rotation where it has them. A
 * change of nothing records no event. 404 E0000007; 400 as on create.
 */
export function replaceServer(
  work: Work,
  context: Context,
  id: string,
  input: ServerInput,
): Promise<AuthorizationServer> {
  return work(context, async (tx, record) => {
    const before = await lockServer(tx, context, id);
    assertVersion(context, serverVersion(before));
    const after: AuthorizationServer = {
      ...before,
      ...readServer(input, before),
      status: input.status ?? before.status,
      lastUpdatedAt: wholeSecond(context.now),
      revision: before.revision + 1,
    };
    const target = serverChange([before, after]);
    if (target.changeDetails === undefined) return before;
    await updateServer(tx, context.orgId, after);
    record({ eventType: 'oauth2.as.updated', target: [target] });
    if (before.status !== after.status) {
      const action = after.status === 'ACTIVE' ? 'activate' : 'deactivate';
      record({ eventType: authorizationServerLifecycle.transition(action).event, target: [target] });
    }
    return after;
  });
}
