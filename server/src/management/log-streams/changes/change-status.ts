import { type Context, ownerIdOf } from '../../../kernel/context.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { startSink, stopSink, type Work } from '../../../system-log/index.ts';
import { type LogStreamAction, logStreamLifecycle, nextStatus } from '../lifecycle.ts';
import { type LogStream, updateLogStream } from '../store.ts';
import { logStreamChange } from '../wire.ts';
import { lockLogStream } from './lock-stream.ts';

/**
 * Activates or deactivates; a stream in that status already stays as it is, without an event. An activated stream
 * receives events from then on; `replay` goes back. 404 E0000007.
 */
export function changeLogStreamStatus(
  work: Work,
  context: Context,
  id: string,
  action: LogStreamAction,
): Promise<LogStream> {
  return work(context, async (tx, record) => {
    const before = await lockLogStream(tx, context, id);
    if (!logStreamLifecycle.allows(before.status, action)) return before;
    const lastUpdatedAt = wholeSecond(context.now);
    const ownerId = action === 'activate' ? ownerIdOf(context.principal) : before.ownerId;
    const after = { ...before, ownerId, status: nextStatus(action), lastUpdatedAt, revision: before.revision + 1 };
    await updateLogStream(tx, context.orgId, after);
    if (after.status === 'ACTIVE') await startSink(tx, context.orgId, { id, kind: 'log_stream' });
    else await stopSink(tx, context.orgId, id);
    record({ eventType: logStreamLifecycle.transition(action).event, target: [logStreamChange([before, after])] });
    return after;
  });
}
