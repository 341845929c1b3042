import { EVENT_TYPES, eventDefinition, isEventType, LOG_FIELDS } from '../../../system-log/index.ts';
import type { EventCatalogue } from './subscription-rules.ts';

/** Maps current names of events to those of the specification, where they differ. */
const NAMED_OTHERWISE: ReadonlyMap<string, string> = new Map(
  EVENT_TYPES.flatMap((eventType) => {
    const { currentEventType } = eventDefinition(eventType);
    return currentEventType === null ? [] : [[currentEventType, eventType] as const];
  }),
);

/** A hook receives an event under either of its names, because a setting of the org decides which one is emitted. */
export const EVENT_CATALOGUE: EventCatalogue = {
  fields: LOG_FIELDS,
  hookNames: (name) => {
    const eventType = NAMED_OTHERWISE.get(name) ?? name;
    if (!isEventType(eventType)) return null;
    const { currentEventType, hookEligible } = eventDefinition(eventType);
    if (!hookEligible) return null;
    return currentEventType === null ? [eventType] : [eventType, currentEventType];
  },
};
