/** This many wrong codes in a row cause a wait, and fewer cause none. */
const FREE_WRONG_CODES = 5;
const FIRST_WAIT_MINUTES = 5;
const LONGEST_WAIT_MINUTES = 60;

/**
 * Returns the wait after so many wrong codes in a row. At the longest wait, a guesser has 24 tries a day, each of which
 * hits one of three codes among a million: after a year, with a probability of 2.6 percent, if the user sends no right
 * code in between. Each right code of the user lets the guesser try four times without a wait.
 */
export function waitMinutesAfter(wrongCodes: number): number {
  if (wrongCodes < FREE_WRONG_CODES) return 0;
  return Math.min(FIRST_WAIT_MINUTES * 2 ** Math.min(wrongCodes - FREE_WRONG_CODES, 10), LONGEST_WAIT_MINUTES);
}

export const waitEndAfter = (wrongCodes: number, now: Date): Date | null => {
  const minutes = waitMinutesAfter(wrongCodes);
  return minutes === 0 ? null : new Date(now.getTime() + minutes * 60_000);
};
