/** Ten if `npm run test:soak` requests long runs, otherwise one. */
const FACTOR = process.env['GATEHOUSE_TEST_SOAK'] === undefined ? 1 : 10;

/** The number of runs of a property: few enough for every change to wait for, and ten times as many in the soak. */
export const rounds = (count: number): number => count * FACTOR;
