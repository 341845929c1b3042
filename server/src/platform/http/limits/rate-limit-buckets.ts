/**
 * The rate-limit buckets, in the contract's form. `limit` applies per org and minute unless settings replace it; null
 * means no limit.
 */
export const RATE_LIMIT_BUCKETS = {
  users: { path: '/api/v1/users', methods: ['GET', 'POST'], limit: 10_000 },
  user: { path: '/api/v1/users/{id}', methods: ['GET', 'POST', 'PUT', 'DELETE'], limit: 20_000 },
  logs: { path: '/api/v1/logs', methods: ['GET'], limit: 10_000 },
  /** Sign-in and tokens have their own limits, which administrative requests cannot exhaust. */
  authn: { path: '/api/v1/authn', methods: ['POST'], limit: 60_000 },
  sessions: { path: '/api/v1/sessions', methods: [], limit: 60_000 },
  oauth: { path: '/oauth2/v1', methods: [], limit: 60_000 },
  /** The addresses to which apps, links and redirects send browsers. */
  authorize: { path: '/oauth2/v1/authorize', methods: [], limit: 60_000 },
  /** Registering clients costs more than using them. */
  clients: { path: '/oauth2/v1/clients', methods: [], limit: 1_000 },
  management: { path: '/api/v1', methods: [], limit: 10_000 },
  /** The bucket of public documents and images, and of most pages. */
  unlimited: { path: '/.well-known', methods: ['GET'], limit: null },
} as const satisfies Record<string, { path: string; methods: readonly string[]; limit: number | null }>;

export type RateLimitBucket = keyof typeof RATE_LIMIT_BUCKETS;
