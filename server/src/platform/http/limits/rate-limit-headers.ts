import type { FastifyReply } from 'fastify';

export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetEpochSeconds: number;
}

/** Clients wait `Reset - Date + 1` seconds. Each header must occur once, and Date comes from the clock of Reset. */
export function rateLimitHeaders(reply: FastifyReply, state: RateLimitState): void {
  reply.header('X-Rate-Limit-Limit', String(state.limit));
  reply.header('X-Rate-Limit-Remaining', String(state.remaining));
  reply.header('X-Rate-Limit-Reset', String(state.resetEpochSeconds));
}
