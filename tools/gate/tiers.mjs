export const BROWSER_PROJECTS = ['smoke', 'browser'];

/**
 * The vitest projects of each tier. `core` is `npm test`, and `npm run test:full` adds `rest`. `.ci/run` adds
 * `contract` if the files of the contract are there.
 */
export const TIERS = {
  core: { checks: true, projects: ['unit', 'http', 'smoke'] },
  rest: { checks: false, projects: ['full', 'browser'] },
  contract: { checks: false, projects: ['contract'] },
};
