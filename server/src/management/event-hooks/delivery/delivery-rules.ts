/** The members of the envelope in which a batch is delivered. */
export interface Envelope {
  /** The namespace word, which is part of the event type. */
  readonly word: string;
  readonly source: string;
  readonly eventId: string;
  readonly eventTime: string;
  /** The events as JSON texts. */
  readonly events: readonly string[];
}

/** Builds the body of a delivery (contract section 10). The JSON texts of the events are inserted unchanged. */
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

/**
 * Returns the JSON text of an event as hooks receive it, with the chain of addresses in `client` (contract section 10).
 */
export function hookEventText(body: string): string {
  const event: unknown = JSON.parse(body);
  if (!isObject(event) || !isObject(event['client']) || !isObject(event['request'])) return body;
  const client = { ...event['client'], ipChain: event['request']['ipChain'] ?? [] };
  return JSON.stringify({ ...event, client });
}

/** The statuses with which a host permanently refuses a delivery. */
const NEVER: ReadonlySet<number> = new Set([400, 413, 422]);

/** Interprets a status. A delivery that `failed` is sent again. */
export function outcomeOfStatus(status: number): 'delivered' | 'refused' | 'failed' {
  if (status >= 200 && status < 300) return 'delivered';
  return NEVER.has(status) ? 'refused' : 'failed';
}

const LONGEST_WAIT_SECONDS = 3_600;

/**
 * Reads a `Retry-After` header in seconds (RFC 9110 10.2.3). Returns milliseconds, at most 1 hour; undefined if the
 * header is absent or has another form.
 */
export function retryAfterMilliseconds(value: string | readonly string[] | undefined): number | undefined {
  if (typeof value !== 'string' || !/^\d{1,9}$/.test(value)) return undefined;
  return Math.min(Number(value), LONGEST_WAIT_SECONDS) * 1_000;
}
