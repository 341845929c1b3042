/** Writes a date in ISO 8601, in UTC and with milliseconds (specification 4.1.3). */
export const wireDate = (date: Date): string => date.toISOString();

export const wireDateOrNull = (date: Date | null): string | null => (date === null ? null : date.toISOString());

/** Rounds a date down to the second, because dates of directory resources end in `.000Z` (contract section 2). */
export const wholeSecond = (date: Date): Date => new Date(Math.floor(date.getTime() / 1000) * 1000);
