/** Ten if `npm run test:soak` requests long runs, otherwise one. */
const FACTOR = process.env['GATEHOUSE_TEST_SOAK'] === undefined ? 1 : 10;

/** Runs of a property: as many as every change can wait for, ten times as many in the soak. */
export const rounds = (count: number): number => count * FACTOR;
