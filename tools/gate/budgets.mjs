// This file limits the CPU seconds that a test file may cost its worker, including a service that runs in the worker.
// Other processes, such as PostgreSQL, and the imports before the first test do not count. Costs are given for the
// usual machine (server/test/support/cpu-seconds.ts). Each budget leaves room for a busy machine, on which the same
// work takes more CPU time.

/** Budgets by the beginning of a path. The first match applies. */
const FOLDERS = [
  ['server/test/scale/', 60],
  ['server/test/faults/', 60],
  ['server/test/matrices/', 90],
  ['server/test/clients/', 60],
  ['server/test/packed/', 60],
  ['server/test/browser/', 30],
];

const USUAL = 10;

/** Files that may cost more than their folder allows, with the reason. Remove an entry when its file costs less. */
export const EXCEPTIONS = [
  ['server/test/sweeps/errors.test.ts', 40, 'it sends every route some twenty bad requests'],
  ['server/test/sweeps/routes.test.ts', 40, 'it asks every route six questions, and compares whole orgs'],
  ['server/test/sweeps/permissions.test.ts', 25, 'it tries every route as each role'],
  ['server/test/sweeps/permissions-custom.test.ts', 20, 'it tries every route as five custom roles'],
  ['server/test/sweeps/versions.test.ts', 20, 'it uses every route, and writes each resource twice'],
  ['server/test/sweeps/statements.test.ts', 20, 'it uses every route, and looks at each statement'],
  ['server/test/api/system-log-events.test.ts', 20, 'it uses every route, and looks at each event'],
  ['server/test/api/clients-chosen-flows.test.ts', 15, 'it signs in by every flow'],
  ['server/test/api/custom-roles.test.ts', 15, 'it asks with each permission of a custom role'],
  ['server/test/api/links-promotions.test.ts', 15, 'it gives rights in eight ways behind ten kinds of links'],
];

export function budgetOf(path) {
  const exception = EXCEPTIONS.find(([file]) => file === path);
  if (exception !== undefined) return exception[1];
  return FOLDERS.find(([folder]) => path.startsWith(folder))?.[1] ?? USUAL;
}

/** Returns a sentence for each file over its budget. */
export const overBudget = (seconds) =>
  [...seconds].flatMap(([path, cost]) => {
    const budget = budgetOf(path);
    if (cost <= budget) return [];
    return [`${path} cost ${cost.toFixed(1)} s of CPU, and may cost ${budget} s (tools/gate/budgets.mjs)`];
  });
