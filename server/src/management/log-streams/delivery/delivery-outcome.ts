import { type OutboundAnswer, type OutboundReason, retryAfterMilliseconds } from '../../../platform/outbound/index.ts';
import type { DeliveryResult } from '../../../system-log/index.ts';

export interface NoAnswer {
  readonly reason: OutboundReason;
}

const REASONS: Readonly<Record<string, string>> = {
  url: 'The address cannot be used.',
  port: 'The port of the address may not be reached.',
  address: 'The host of the address may not be reached.',
  unreachable: 'The host could not be reached, or its certificate is not trusted.',
  timeout: 'The host did not answer within 10 seconds.',
};

/** Describes a failure. Repeats only the status of the response, because the host could put anything into the rest. */
export const failureText = (outcome: OutboundAnswer | NoAnswer): string =>
  'status' in outcome ? `The host answered ${outcome.status}.` : (REASONS[outcome.reason] ?? 'There was no answer.');

const LONGEST_WAIT_MILLISECONDS = 300_000;

/** After this result, the sink engine sends the batch again. */
export function failed(outcome: OutboundAnswer | NoAnswer, now: Date, reason = failureText(outcome)): DeliveryResult {
  if (!('status' in outcome)) return { outcome: 'failed', status: null, reason };
  const { headers, status } = outcome;
  const wait = retryAfterMilliseconds(headers['retry-after'], now, LONGEST_WAIT_MILLISECONDS);
  return {
    outcome: 'failed',
    status,
    reason,
    ...(wait === undefined ? {} : { retryAfterMilliseconds: wait }),
  };
}

/** With one of these statuses, the host refuses the content of the batch. */
const NEVER: ReadonlySet<number> = new Set([400, 413, 422]);

export function resultOfStatus(outcome: OutboundAnswer | NoAnswer, now: Date): DeliveryResult {
  if (!('status' in outcome)) return failed(outcome, now);
  const { status } = outcome;
  if (status >= 200 && status < 300) return { outcome: 'delivered', status };
  return NEVER.has(status) ? { outcome: 'refused', status, reason: failureText(outcome) } : failed(outcome, now);
}

export function answeredObject({ body }: OutboundAnswer): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    return Object.fromEntries(Object.entries(value));
  } catch {
    return null;
  }
}
