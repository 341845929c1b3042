import type { Problem } from '../../../kernel/errors/problems.ts';
import type { Namespace } from '../../../kernel/words/namespace.ts';
import {
  type Outbound,
  type OutboundAnswer,
  OutboundError,
  type OutboundReason,
  type OutboundRequest,
} from '../../../platform/outbound/index.ts';
import type { HookChannel } from '../documents/channel-rules.ts';

export type HookOutbound = Pick<Outbound, 'send'>;

export interface NoAnswer {
  readonly reason: OutboundReason;
}

/** A response must arrive within 3 s (contract section 10). */
const LIMITS = { maximumBytes: 65_536, timeoutMilliseconds: 3_000 };

const REASONS: Readonly<Record<string, Problem>> = {
  url: 'The address cannot be used.',
  port: 'The port of the address may not be reached.',
  address: 'The host of the address may not be reached.',
  unreachable: 'The host could not be reached, or its certificate is not trusted.',
  timeout: 'The host did not answer within 3 seconds.',
  encoding: 'The answer was compressed.',
  tooLarge: 'The answer was too large.',
};

/**
 * Describes a failure. The description repeats only the status of the response, because the host could put anything
 * into the rest.
 */
export const failureText = (outcome: OutboundAnswer | NoAnswer): Problem =>
  'status' in outcome ? `The host answered ${outcome.status}.` : (REASONS[outcome.reason] ?? 'There was no answer.');

export const headersOf = (
  channel: HookChannel,
  secret: string | null,
  own: Readonly<Record<string, string>>,
): Record<string, string> => ({
  ...Object.fromEntries(channel.headers.map(({ key, value }) => [key, value])),
  ...(channel.authKey === null || secret === null ? {} : { [channel.authKey]: secret }),
  'User-Agent': 'Gatehouse-Event-Hook/1.0',
  ...own,
});

/** Returns the full name of a header, for example `X-Svc-Hook-Signature`. */
export const hookHeader = (namespace: Namespace, name: string): string => `${namespace.headerPrefix}${name}`;

async function sendOnce(
  outbound: HookOutbound,
  request: Omit<OutboundRequest, 'limits'>,
): Promise<OutboundAnswer | NoAnswer> {
  try {
    return await outbound.send({ ...request, limits: LIMITS });
  } catch (error) {
    if (error instanceof OutboundError) return { reason: error.reason };
    throw error;
  }
}

/** Sends a request. Repeats it at once if `again` returns true for the outcome and the request was not aborted. */
export async function sendTwice(
  outbound: HookOutbound,
  request: Omit<OutboundRequest, 'limits'>,
  again: (outcome: OutboundAnswer | NoAnswer) => boolean,
): Promise<OutboundAnswer | NoAnswer> {
  const first = await sendOnce(outbound, request);
  if (!again(first) || request.signal?.aborted === true) return first;
  return sendOnce(outbound, request);
}
