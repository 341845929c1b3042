export const BROWSER_PROJECTS = ['smoke', 'browser'];

/** The vitest projects of each tier. `core` is `npm test`. `npm run test:full` adds `rest`. Only CI runs `contract`. */
export const TIERS = {
  core: { checks: true, projects: ['unit', 'http', 'smoke'] },
  rest: { checks: false, projects: ['full', 'browser'] },
  contract: { checks: false, projects: ['contract'] },
};
