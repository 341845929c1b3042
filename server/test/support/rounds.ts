/** The factor is 10 if `npm run test:soak` requests long runs, otherwise 1. */
const FACTOR = process.env['GATEHOUSE_TEST_SOAK'] === undefined ? 1 : 10;

/** Returns how often to run a property: `count` times in normal test runs, ten times as often in the soak. */
export const rounds = (count: number): number => count * FACTOR;
