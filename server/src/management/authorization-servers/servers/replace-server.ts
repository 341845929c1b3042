import type { Context } from '../../../kernel/context.ts';
import type { Work } from '../../../system-log/index.ts';
import { changedRow } from '../../resource/index.ts';
import type { ServerInput } from '../contract.ts';
import { authorizationServerLifecycle } from '../lifecycle.ts';
import { servers } from '../resource.ts';
import type { AuthorizationServer } from '../store.ts';
import { serverChange } from '../wire.ts';
import { readServer } from './server-rules.ts';

/** Keeps the status, issuer mode and rotation mode if the body omits them. */
export function replaceServer(
  work: Work,
  context: Context,
  id: string,
  input: ServerInput,
): Promise<AuthorizationServer> {
  return work(context, async (tx, record) => {
    const before = await servers.lock(tx, context, id);
    const status = input.status ?? before.status;
    const after = changedRow(context, before, { ...readServer(input, before), status });
    const target = serverChange([before, after]);
    if (target.changeDetails === undefined) return before;
    await servers.write(tx, context, [before, after], record);
    if (before.status !== after.status) {
      const action = after.status === 'ACTIVE' ? 'activate' : 'deactivate';
      record({ eventType: authorizationServerLifecycle.transition(action).event, target: [target] });
    }
    return after;
  });
}
