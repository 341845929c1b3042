import type { OrgId } from '../../../kernel/words/ids.ts';
import { type Outbound, type OutboundAnswer, OutboundError } from '../../../platform/outbound/index.ts';
import type { NoAnswer } from './delivery-outcome.ts';

export type StreamOutbound = Pick<Outbound, 'send'>;

export interface StreamRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

const LIMITS = { maximumBytes: 65_536, timeoutMilliseconds: 10_000 };

export async function post(
  outbound: StreamOutbound,
  orgId: OrgId,
  { body, headers, url }: StreamRequest,
  signal: AbortSignal,
): Promise<OutboundAnswer | NoAnswer> {
  try {
    return await outbound.send({
      orgId,
      method: 'POST',
      url,
      headers: { 'User-Agent': 'Gatehouse-Log-Stream/1.0', ...headers },
      body,
      limits: LIMITS,
      signal,
    });
  } catch (error) {
    if (error instanceof OutboundError) return { reason: error.reason };
    throw error;
  }
}
