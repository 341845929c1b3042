import { EVENT_TYPES, eventDefinition, isEventType, LOG_FIELDS } from '../../../system-log/index.ts';
import type { EventCatalogue } from './subscription-rules.ts';

/** The specification's names of events, keyed by their current names. It omits events that have only one name. */
const NAMED_OTHERWISE: ReadonlyMap<string, string> = new Map(
  EVENT_TYPES.flatMap((eventType) => {
    const { currentEventType } = eventDefinition(eventType);
    return currentEventType === null ? [] : [[currentEventType, eventType] as const];
  }),
);

/** An event may have two names, and a hook may use either of them. */
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
