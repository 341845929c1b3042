// The tiers of the gate. A test file belongs to the tier of its folder (`vitest.config.ts`), and to no other.

/** The vitest projects that need a browser. */
export const BROWSER_PROJECTS = ['smoke', 'browser'];

/**
 * The vitest projects of each tier. `core` is `npm test`, which every change must pass while its author waits. `npm run
 * test:full` adds `rest`, and `.ci/run` also `contract` if the contract is there. `npm run test:soak` runs before an
 * issue is closed.
 */
export const TIERS = {
  core: { checks: true, projects: ['unit', 'http', 'smoke'] },
  rest: { checks: false, projects: ['full', 'browser'] },
  contract: { checks: false, projects: ['contract'] },
};
