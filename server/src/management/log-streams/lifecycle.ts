import { lifecycle, type Transition } from '../../kernel/lifecycle.ts';

export const LOG_STREAM_STATUSES = ['ACTIVE', 'INACTIVE'] as const;
export type LogStreamStatus = (typeof LOG_STREAM_STATUSES)[number];

/**
 * A stream that already is what `activate` or `deactivate` leads to stays as it is: no error. The contract's delete
 * refuses no status.
 */
// biome-ignore format: the columns are the documentation
export const logStreamLifecycle = lifecycle({
  activate:   { from: ['INACTIVE'],           to: ['ACTIVE'],   event: 'system.log_stream.lifecycle.activate' },
  deactivate: { from: ['ACTIVE'],             to: ['INACTIVE'], event: 'system.log_stream.lifecycle.deactivate' },
  delete:     { from: ['ACTIVE', 'INACTIVE'], to: 'removed',    event: 'system.log_stream.lifecycle.delete' },
} as const satisfies Record<string, Transition<LogStreamStatus>>);

export type LogStreamAction = 'activate' | 'deactivate';

/** Where an operation leads. */
export function nextStatus(action: LogStreamAction): LogStreamStatus {
  const { to } = logStreamLifecycle.transition(action);
  if (to === 'removed') throw new Error(`${action} does not change the status`);
  return to[0];
}
