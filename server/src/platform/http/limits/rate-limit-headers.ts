import type { FastifyReply } from 'fastify';

export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetEpochSeconds: number;
}

/** Sets the rate-limit headers. Clients compare `Reset` with `Date`, so both must come from the same clock. */
export function rateLimitHeaders(reply: FastifyReply, state: RateLimitState): void {
  reply.header('X-Rate-Limit-Limit', String(state.limit));
  reply.header('X-Rate-Limit-Remaining', String(state.remaining));
  reply.header('X-Rate-Limit-Reset', String(state.resetEpochSeconds));
}
