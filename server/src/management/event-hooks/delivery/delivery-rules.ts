/** Members of a batch's envelope. */
export interface Envelope {
  /** The namespace word. */
  readonly word: string;
  readonly source: string;
  readonly eventId: string;
  readonly eventTime: string;
  /** Events as JSON texts. */
  readonly events: readonly string[];
}

/** Builds the body of a delivery (contract section 10); events are inserted as text. */
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

/** Builds an event for hooks, whose `client` includes the chain of addresses (contract section 10). */
export function hookEventText(body: string): string {
  const event: unknown = JSON.parse(body);
  if (!isObject(event) || !isObject(event['client']) || !isObject(event['request'])) return body;
  const client = { ...event['client'], ipChain: event['request']['ipChain'] ?? [] };
  return JSON.stringify({ ...event, client });
}

/** Statuses by which a host permanently refuses a delivery. */
const NEVER: ReadonlySet<number> = new Set([400, 413, 422]);

/** Interprets a status: a batch that was neither delivered nor permanently refused is sent again. */
export function outcomeOfStatus(status: number): 'delivered' | 'refused' | 'failed' {
  if (status >= 200 && status < 300) return 'delivered';
  return NEVER.has(status) ? 'refused' : 'failed';
}

const LONGEST_WAIT_SECONDS = 3_600;

/**
 * Reads a `Retry-After` in seconds (RFC 9110 10.2.3) as milliseconds, at most an hour; undefined when it is unusable.
 */
export function retryAfterMilliseconds(value: string | readonly string[] | undefined): number | undefined {
  if (typeof value !== 'string' || !/^\d{1,9}$/.test(value)) return undefined;
  return Math.min(Number(value), LONGEST_WAIT_SECONDS) * 1_000;
}
