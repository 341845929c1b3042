// The tiers of the gate. A test file belongs to the tier of its folder (`vitest.config.ts`), and to no other.

/** The vitest projects that need a browser. */
export const BROWSER_PROJECTS = ['smoke', 'browser'];

/**
 * The vitest projects of each tier. `core` is `npm test`, which every change must pass while its author waits.
 * `npm run test:full` adds `rest`: scale, faults, published clients, conformance profiles and every browser test.
 * `.ci/run` also adds `contract`. `npm run test:soak` (soak.mjs) runs before an issue is closed.
 */
export const TIERS = {
  core: { checks: true, projects: ['unit', 'http', 'smoke'] },
  rest: { checks: false, projects: ['full', 'browser'] },
  contract: { checks: false, projects: ['contract'] },
};
