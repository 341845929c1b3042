/** The factor is 10 if `npm run test:soak` requests long runs, otherwise 1. */
const FACTOR = process.env['GATEHOUSE_TEST_SOAK'] === undefined ? 1 : 10;

/** Returns the number of runs of a property: the given number for every change, and ten times as many in the soak. */
export const rounds = (count: number): number => count * FACTOR;
