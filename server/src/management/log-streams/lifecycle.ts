import { lifecycle, type Transition } from '../../kernel/lifecycle.ts';

export const LOG_STREAM_STATUSES = ['ACTIVE', 'INACTIVE'] as const;
export type LogStreamStatus = (typeof LOG_STREAM_STATUSES)[number];

/**
 * An action is a no-op, not an error, if the stream already has the resulting status. The contract names no status that
 * prevents deletion.
 */
// biome-ignore format: the columns are the documentation
export const logStreamLifecycle = lifecycle({
  activate:   { from: ['INACTIVE'],           to: ['ACTIVE'],   event: 'system.log_stream.lifecycle.activate' },
  deactivate: { from: ['ACTIVE'],             to: ['INACTIVE'], event: 'system.log_stream.lifecycle.deactivate' },
  delete:     { from: ['ACTIVE', 'INACTIVE'], to: 'removed',    event: 'system.log_stream.lifecycle.delete' },
} as const satisfies Record<string, Transition<LogStreamStatus>>);
