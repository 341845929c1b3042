import type { Context } from '../../kernel/context.ts';
import { dropSink, type Work } from '../../system-log/index.ts';
import { lockLogStream } from './changes/lock-stream.ts';
import { removeFilesLater } from './files/remove-files-job.ts';
import { logStreamLifecycle } from './lifecycle.ts';
import { removeLogStream } from './store.ts';
import { logStreamChange } from './wire.ts';

/** Deletes a stream of either status with the state of its deliveries, and a minute later its files. 404 E0000007. */
export function deleteLogStream(work: Work, context: Context, id: string): Promise<void> {
  return work(context, async (tx, record) => {
    const stream = await lockLogStream(tx, context, id);
    await dropSink(tx, context.orgId, id);
    await removeFilesLater(tx, context, stream);
    await removeLogStream(tx, context.orgId, id);
    record({ eventType: logStreamLifecycle.transition('delete').event, target: [logStreamChange([stream, null])] });
  });
}
