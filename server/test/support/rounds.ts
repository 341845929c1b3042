/** `npm run test:soak` sets this environment variable, because more runs find rarer faults. */
const FACTOR = process.env['GATEHOUSE_TEST_SOAK'] === undefined ? 1 : 10;

/** Returns how many times to check a property. */
export const rounds = (count: number): number => count * FACTOR;
