function askedWait(value: string, now: Date): number {
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  // `Date.parse` accepts many strings that are not HTTP dates.
  return /^[A-Z][a-z]{2,8},? /.test(value) ? Date.parse(value) - now.getTime() : Number.NaN;
}

/**
 * Returns the delay in a `Retry-After` header (RFC 9110 10.2.3), in seconds or as an HTTP date, but at most
 * `longestMilliseconds`. Returns undefined without a valid header, and for a date in the past.
 */
export function retryAfterMilliseconds(
  value: string | readonly string[] | undefined,
  now: Date,
  longestMilliseconds: number,
): number | undefined {
  // The longest HTTP date has 33 characters: the obsolete form with a Wednesday (RFC 9110 5.6.7).
  const wait = typeof value === 'string' && value.length <= 64 ? askedWait(value, now) : Number.NaN;
  return wait >= 0 ? Math.min(wait, longestMilliseconds) : undefined;
}
