import type { OutboundAnswer } from '../../../platform/outbound/index.ts';
import type { DeliveryResult, SinkBatch } from '../../../system-log/index.ts';
import type { SplunkSettings } from '../settings/stream-types-rules.ts';
import { answeredObject, failed, failureText, type NoAnswer, resultOfStatus } from './delivery-outcome.ts';
import type { StreamRequest } from './delivery-request.ts';

/**
 * HEC (HTTP Event Collector) accepts 1 MB per request. The limit in bytes is smaller, to leave room for the other
 * members of the events.
 */
export const SPLUNK_BOUNDS = { maximumEvents: 500, maximumBytes: 800_000 };

/** Contract section 10 gives the address for the edition `aws`. In the other editions, a dot replaces the hyphen. */
export const splunkUrl = ({ edition, host }: SplunkSettings): string =>
  `https://http-inputs${edition === 'aws' ? '-' : '.'}${host}/services/collector/event`;

/** HEC expects concatenated JSON objects instead of an array. `orgHost` is the host name of the org. */
export function splunkRequest(
  settings: SplunkSettings,
  token: string,
  orgHost: string,
  batch: SinkBatch,
): StreamRequest {
  const common = `"host":${JSON.stringify(orgHost)},"source":"system-log","sourcetype":"_json"`;
  const body = batch.events
    .map((event) => `{"time":${(event.published.getTime() / 1_000).toFixed(3)},${common},"event":${event.body}}`)
    .join('\n');
  return {
    url: splunkUrl(settings),
    headers: { Accept: 'application/json', Authorization: `Splunk ${token}`, 'Content-Type': 'application/json' },
    body,
  };
}

const SUCCESS = 0;

/** HEC returns these codes for errors in the content, which sending the same batch again would not repair. */
const BAD_DATA: ReadonlySet<number> = new Set([5, 6, 12, 13, 15]);

/** These HEC codes describe states that can end, so the batch is sent again. */
const MEANINGS: Readonly<Record<number, string>> = {
  1: 'the token is disabled',
  2: 'a token is required',
  3: 'the authorization is invalid',
  4: 'the token is invalid',
  7: 'the index of the token is incorrect',
  9: 'the server is busy',
  10: 'the token asks for acknowledgements, which are not used',
  11: 'the token asks for acknowledgements, which are not used',
};

/** The HEC code is more precise than the HTTP status. */
export function splunkResult(outcome: OutboundAnswer | NoAnswer, now: Date): DeliveryResult {
  if (!('status' in outcome)) return failed(outcome, now);
  const { status } = outcome;
  const code = answeredObject(outcome)?.['code'];
  if (typeof code !== 'number' || !Number.isSafeInteger(code)) {
    // A response without a code does not come from HEC, so it never means that HEC accepted the batch.
    return status === 413 ? resultOfStatus(outcome, now) : failed(outcome, now, unreadable(outcome));
  }
  if (status === 200 && code === SUCCESS) return { outcome: 'delivered', status };
  const reason = `Splunk answered ${status}, code ${code}${code in MEANINGS ? `: ${MEANINGS[code]}` : ''}.`;
  return BAD_DATA.has(code) && status < 500 ? { outcome: 'refused', status, reason } : failed(outcome, now, reason);
}

const unreadable = (outcome: OutboundAnswer): string =>
  outcome.status === 200 ? 'The answer was not one of an HTTP Event Collector.' : failureText(outcome);
