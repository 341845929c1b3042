import { ownerIdOf } from '../../kernel/context.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { dropSink, startSink, stopSink, type Target } from '../../system-log/index.ts';
import { resource, statusChange } from '../resource/index.ts';
import { removeFilesLater } from './files/remove-files-job.ts';
import { logStreamLifecycle } from './lifecycle.ts';
import { LOG_STREAMS, type LogStream } from './store.ts';
import { logStreamChange, logStreamTarget, logStreamVersion } from './wire.ts';

export const MAXIMUM_LOG_STREAMS = 10;

export const logStreams = resource<LogStream>({
  noun: 'LogStream',
  store: LOG_STREAMS,
  version: logStreamVersion,
  target: logStreamChange,
  events: {
    create: 'system.log_stream.lifecycle.create',
    update: 'system.log_stream.lifecycle.update',
    delete: 'system.log_stream.lifecycle.delete',
  },
  limit: { maximum: MAXIMUM_LOG_STREAMS, field: 'name', plural: 'log streams' },
  // A stream that becomes ACTIVE receives the events from then on.
  follow: async (tx, context, [before, after]) => {
    if (after === null) {
      if (before === null) return;
      await dropSink(tx, context.orgId, before.id);
      await removeFilesLater(tx, context, before);
    } else if (after.status !== before?.status) {
      if (after.status === 'ACTIVE') await startSink(tx, context.orgId, { id: after.id, kind: 'log_stream' });
      else await stopSink(tx, context.orgId, after.id);
    }
  },
});

/** Deletes a stream of any status, and later its files. */
export const deleteLogStream = logStreams.delete;
export const getLogStream = logStreams.get;

export const changeLogStreamStatus = statusChange(logStreams, logStreamLifecycle, ({ principal }, action) =>
  action === 'activate' ? { ownerId: ownerIdOf(principal) } : {},
);

export async function findLogStreamTarget(db: Db, orgId: OrgId, id: string): Promise<Target | null> {
  const stream = await LOG_STREAMS.find(db, orgId, id);
  return stream === undefined ? null : logStreamTarget(stream);
}
