/** Tells whether two absolute URLs have the same origin (RFC 6454 5): scheme, host and port. */
export const isSameOrigin = (one: string, other: string): boolean => new URL(one).origin === new URL(other).origin;
