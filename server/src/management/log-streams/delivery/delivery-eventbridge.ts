import type { OutboundAnswer } from '../../../platform/outbound/index.ts';
import type { DeliveryResult, SinkBatch } from '../../../system-log/index.ts';
import type { AwsSettings } from '../settings/stream-types-rules.ts';
import { answeredObject, failed, failureText, type NoAnswer } from './delivery-outcome.ts';
import type { StreamRequest } from './delivery-request.ts';
import { type AwsCredentials, signAwsRequest } from './delivery-sigv4.ts';

/** The operator's AWS account, which all orgs share. */
export interface AwsAccount extends AwsCredentials {
  /** The URL that replaces the region's endpoint. Null means that requests go to the region's endpoint. */
  readonly eventBridgeUrl: string | null;
}

/**
 * PutEvents accepts 10 entries and 256 KB. The limit in bytes is smaller, to leave room for the other members of the
 * entries.
 */
export const EVENTBRIDGE_BOUNDS = { maximumEvents: 10, maximumBytes: 200_000 };

function partitionOf(region: string): readonly [string, string] {
  if (region.startsWith('cn-')) return ['aws-cn', 'amazonaws.com.cn'];
  return [region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws', 'amazonaws.com'];
}

export function eventBridgeRequest(aws: AwsAccount, settings: AwsSettings, batch: SinkBatch): StreamRequest {
  const { accountId, eventSourceName, region } = settings;
  const [partition, domain] = partitionOf(region);
  const url = aws.eventBridgeUrl ?? `https://events.${region}.${domain}/`;
  const body = JSON.stringify({
    Entries: batch.events.map((event) => ({
      Source: eventSourceName,
      DetailType: event.eventType,
      Detail: event.body,
      Time: event.published.getTime() / 1_000,
      // All orgs share the credentials, so rules of the event bus can recognize the org by this member.
      Resources: [batch.orgId],
      EventBusName: `arn:${partition}:events:${region}:${accountId}:event-bus/${eventSourceName}`,
    })),
  });
  const headers = { 'Content-Type': 'application/x-amz-json-1.1', 'X-Amz-Target': 'AWSEvents.PutEvents' };
  const signed = signAwsRequest(aws, { method: 'POST', url, headers, body, region, service: 'events', now: batch.now });
  return { url, headers: signed, body };
}

/** These errors of entries are permanent. After any other error, the batch can succeed later. */
const BAD_ENTRIES: ReadonlySet<string> = new Set(['MalformedDetail', 'EventSizeExceeded', 'EntrySizeExceeded']);

/** With status 400, these errors are permanent, as is any error with status 413. Other requests can succeed later. */
const BAD_REQUESTS: ReadonlySet<string> = new Set([
  'ValidationException',
  'SerializationException',
  'RequestEntityTooLarge',
  'RequestEntityTooLargeException',
]);

/** Returns the host's error code, or `unknown` if the value does not have the form of a code. */
const codeOf = (value: unknown): string => {
  const code = typeof value === 'string' ? value.replace(/^.*#/, '') : '';
  return /^[A-Za-z]{1,64}$/.test(code) ? code : 'unknown';
};

function entryCodes(answered: Readonly<Record<string, unknown>>): string[] {
  const entries: unknown[] = Array.isArray(answered['Entries']) ? answered['Entries'] : [];
  return entries.flatMap((entry) =>
    typeof entry === 'object' && entry !== null && 'ErrorCode' in entry && entry.ErrorCode !== null
      ? [codeOf(entry.ErrorCode)]
      : [],
  );
}

/** If EventBridge accepts only a part of a batch, the whole batch may be sent again. */
export function eventBridgeResult(outcome: OutboundAnswer | NoAnswer, now: Date): DeliveryResult {
  if (!('status' in outcome)) return failed(outcome, now);
  const { status } = outcome;
  const answered = answeredObject(outcome);
  if (status !== 200) {
    const code = codeOf(answered?.['__type']);
    const reason = code === 'unknown' ? failureText(outcome) : `EventBridge answered ${status}: ${code}.`;
    const isBad = status === 413 || (status === 400 && BAD_REQUESTS.has(code));
    return isBad ? { outcome: 'refused', status, reason } : failed(outcome, now, reason);
  }
  const count = answered?.['FailedEntryCount'];
  if (count === 0) return { outcome: 'delivered', status };
  if (answered === null || typeof count !== 'number') {
    return failed(outcome, now, 'The answer was not one of EventBridge.');
  }
  const codes = entryCodes(answered);
  const reason = `EventBridge did not take ${count} of the events: ${[...new Set(codes)].join(', ') || 'unknown'}.`;
  const isBad = codes.length > 0 && codes.every((code) => BAD_ENTRIES.has(code));
  return isBad ? { outcome: 'refused', status, reason } : failed(outcome, now, reason);
}
