export interface Envelope {
  readonly word: string;
  readonly source: string;
  readonly eventId: string;
  readonly eventTime: string;
  readonly events: readonly string[];
}

export function envelopeText({ word, source, eventId, eventTime, events }: Envelope): string {
  const head = JSON.stringify({
    eventType: `com.${word}.event_hook`,
    eventTypeVersion: '1.0',
    cloudEventsVersion: '0.1',
    source,
    eventId,
    eventTime,
    contentType: 'application/json',
  });
  return `${head.slice(0, -1)},"data":{"events":[${events.join(',')}]}}`;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function hookEventText(body: string): string {
  const event: unknown = JSON.parse(body);
  if (!isObject(event) || !isObject(event['client']) || !isObject(event['request'])) return body;
  const client = { ...event['client'], ipChain: event['request']['ipChain'] ?? [] };
  return JSON.stringify({ ...event, client });
}

/** With one of these statuses, the host refuses the content of the delivery. */
const NEVER: ReadonlySet<number> = new Set([400, 413, 422]);

/**
 * A `failed` delivery is repeated later. A `refused` one is sent again in halves, to find the event that the host
 * refuses.
 */
export function outcomeOfStatus(status: number): 'delivered' | 'refused' | 'failed' {
  if (status >= 200 && status < 300) return 'delivered';
  return NEVER.has(status) ? 'refused' : 'failed';
}
