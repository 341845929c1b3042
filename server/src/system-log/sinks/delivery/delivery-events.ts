import type { NewEvent, Target } from '../../write/event.ts';
import type { EventType } from '../../write/events.ts';
import type { SinkEvent, SinkKind } from '../sink.ts';

const DELIVERY_EVENTS: Readonly<Record<SinkKind, EventType>> = {
  event_hook: 'event_hook.delivery',
  log_stream: 'system.log_stream.delivery',
};

export const DELIVERY_EVENT_TYPES: ReadonlySet<string> = new Set<EventType>([
  ...Object.values(DELIVERY_EVENTS),
  'system.log.delivery.dead_letter',
  'system.log.cursor.skip',
]);

export interface FailedBatch {
  readonly reason: string;
  readonly status: number | null;
  readonly firstPosition: number | null;
  readonly lastPosition: number | null;
  readonly batchId: string | null;
}

const present = (values: Readonly<Record<string, string | number | null>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]])),
  );

export const failureEvent = (kind: SinkKind, target: Target, failed: FailedBatch): NewEvent => ({
  eventType: DELIVERY_EVENTS[kind],
  target: [target],
  outcome: { result: 'FAILURE', reason: failed.reason },
  debugData: present({
    status: failed.status,
    firstPosition: failed.firstPosition,
    lastPosition: failed.lastPosition,
    batchId: failed.batchId,
  }),
});

/**
 * Makes the event that is recorded when deliveries succeed again after a recorded failure. Returns null for event
 * hooks, which have no such event.
 */
export const recoveryEvent = (
  kind: SinkKind,
  target: Target,
  recovered: { readonly failingSince: Date; readonly failures: number },
): NewEvent | null =>
  kind === 'event_hook'
    ? null
    : {
        eventType: DELIVERY_EVENTS[kind],
        target: [target],
        severity: 'INFO',
        displayMessage: 'Events are delivered to a log stream again',
        debugData: present({ failingSince: recovered.failingSince.toISOString(), failures: recovered.failures }),
      };

export const deadLetterEvent = (
  target: Target,
  event: Pick<SinkEvent, 'position' | 'uuid' | 'eventType'>,
  refusal: { readonly reason: string; readonly status: number | null },
): NewEvent => ({
  eventType: 'system.log.delivery.dead_letter',
  target: [target],
  outcome: { result: 'FAILURE', reason: refusal.reason },
  debugData: present({
    position: event.position,
    uuid: event.uuid,
    eventType: event.eventType,
    status: refusal.status,
  }),
});

export const skipEvent = (target: Target, range: { readonly first: number; readonly last: number }): NewEvent => ({
  eventType: 'system.log.cursor.skip',
  target: [target],
  outcome: { result: 'FAILURE', reason: 'events had left the log before they were delivered' },
  debugData: present({
    firstPosition: range.first,
    lastPosition: range.last,
    skipped: range.last - range.first + 1,
  }),
});
