import type { FastifyReply } from 'fastify';

export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetEpochSeconds: number;
}

/** Sets the rate-limit headers. Clients compare `Reset` with `Date`, so both must come from the same clock. */
export function rateLimitHeaders(reply: FastifyReply, state: RateLimitState): void {
  reply.header('x-rate-limit-limit', String(state.limit));
  reply.header('x-rate-limit-remaining', String(state.remaining));
  reply.header('x-rate-limit-reset', String(state.resetEpochSeconds));
}
