// `npm test` runs the gate's everyday tier, `core`. Every step runs, even if an earlier one fails. The last line is
// `N passed, N failed`, which counts tests and other checks.
//   npm test -- <filter>    the matching tests of the tiers core and rest
//   npm test -- --changed   some checks, and the tests that a change may affect
//   npm test -- --busy 5    the everyday tier, five times, while every core is busy
//   npm test -- --coverage  line and branch coverage of each folder
//   npm run test:full       the tiers core and rest
//   npm run test:soak       what takes hours; goes on where it was stopped, or starts over with `-- --fresh`
import { findChromium } from './chromium.mjs';
import { besideBusyCores } from './gate/busy.mjs';
import { httpTestsOfChange } from './gate/changed.mjs';
import { runChecks } from './gate/checks.mjs';
import { runCoverage } from './gate/coverage.mjs';
import { checkBudgets, count, end } from './gate/report.mjs';
import { runSoak } from './gate/soak.mjs';
import { BROWSER_PROJECTS, TIERS } from './gate/tiers.mjs';
import { runTests } from './gate/vitest.mjs';
import { checkNode, ensureInstalled } from './setup.mjs';

function runBrowserTests(projects) {
  const chromium = findChromium();
  if (chromium !== undefined)
    return runTests(`${projects.join(' and ')} tests`, projects, [], { CHROMIUM_PATH: chromium });
  console.log('!! NO CHROMIUM: THE BROWSER TESTS DID NOT RUN. Install chromium or set CHROMIUM_PATH.');
  // On a developer's machine, this is only a warning. In CI, the gate must not pass without the browser tests.
  if (process.env.CI !== undefined) count('browser tests', { passed: 0, failed: 1 }, Date.now());
}

async function runTier(name) {
  const tier = TIERS[name];
  if (tier === undefined) throw new Error(`There is no tier ${name}; there are ${Object.keys(TIERS).join(', ')}.`);
  if (tier.checks) await runChecks();
  const browser = tier.projects.filter((project) => BROWSER_PROJECTS.includes(project));
  const others = tier.projects.filter((project) => !BROWSER_PROJECTS.includes(project));
  runTests(`${others.join(' and ')} tests`, others);
  if (browser.length > 0) runBrowserTests(browser);
}

async function runChanged() {
  await runChecks(['types', 'lint', 'format', 'walls']);
  runTests('unit tests of the change', ['unit'], ['--changed=main', '--passWithNoTests']);
  const files = httpTestsOfChange();
  if (files.length > 0) runTests('HTTP tests of the change', ['http'], files);
}

/**
 * Runs tiers while every core is busy. Unsets CI, because in CI failed files run again, which would hide unreliable
 * tests.
 */
async function runBusy(runs = '1', ...tiers) {
  delete process.env.CI;
  await besideBusyCores(async () => {
    for (let run = 1; run <= Number(runs); run += 1) {
      console.log(`\n== run ${run} of ${runs}, beside a busy program`);
      for (const name of tiers.length === 0 ? ['core'] : tiers) await runTier(name);
    }
  });
}

const projectsOf = (...names) => names.flatMap((name) => TIERS[name].projects);

checkNode();
await ensureInstalled();
const [first, ...others] = process.argv.slice(2);
if (first === undefined) await runTier('core');
else if (first === '--tier') for (const name of others) await runTier(name);
else if (first === '--busy') await runBusy(...others);
else if (first === '--coverage') runCoverage(...others);
else if (first === '--soak') await runSoak(...others);
else if (first === '--changed') await runChanged();
else {
  const chromium = findChromium();
  const env = chromium === undefined ? {} : { CHROMIUM_PATH: chromium };
  runTests('tests', projectsOf('core', 'rest'), [first, ...others], env);
}
// A soak runs longer tests, and measuring coverage slows tests down, so neither is held to the CPU budgets.
if (first !== '--soak' && first !== '--coverage') checkBudgets();
process.exit(end());
