// The tiers of the gate. A test file belongs to the tier of its folder (`vitest.config.ts`), and to no other.

/** Projects of vitest that need a browser. */
export const BROWSER_PROJECTS = ['smoke', 'browser'];

/**
 * The projects of each tier. `core` is `npm test`: what every change has to pass while its author waits. `rest` is what
 * `npm run test:full` and `.ci/run` add: scale, faults, published clients, conformance profiles, every browser test.
 * `npm run test:soak` (soak.mjs) runs before an issue is closed: the same properties with large numbers, crash rounds,
 * upgrades.
 */
export const TIERS = {
  core: { checks: true, projects: ['unit', 'http', 'smoke'] },
  rest: { checks: false, projects: ['full', 'browser'] },
  contract: { checks: false, projects: ['contract'] },
};
