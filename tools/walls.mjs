// This script checks the imports of the sources against the walls, which are the rules of .dependency-cruiser.cjs.
// Before that, it checks on a made-up source tree that every wall reports violations.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cruise } from 'dependency-cruiser';
import { ROOT } from './setup.mjs';

const { sliceOrder, forbidden, options } = createRequire(import.meta.url)('../.dependency-cruiser.cjs');

async function violationsIn(baseDir, folders) {
  const ruleSet = { forbidden };
  const { output } = await cruise(folders, { ...options, baseDir, validate: true, ruleSet });
  return output.summary;
}

const src = (path) => `server/src/${path}`;

/**
 * Imports that the walls must report. Each row contains the rule, the importing file, and the imported file or package.
 */
const CANARIES = [
  ['no-cycles', src('platform/jobs/lap-one.ts'), src('platform/jobs/lap-two.ts')],
  ['no-unresolved', src('platform/jobs/lost.ts'), 'nowhere'],
  ['kernel-stands-alone', src('kernel/words.ts'), 'left-pad'],
  ['kernel-stands-alone', src('kernel/texts/dates.ts'), src('platform/mail/index.ts')],
  ['platform-knows-no-area', src('platform/jobs/index.ts'), src('management/users/index.ts')],
  ['filter-knows-the-kernel-only', src('filter/parse.ts'), src('platform/mail/index.ts')],
  ['search-knows-no-area', src('search/plan.ts'), src('management/users/index.ts')],
  ['expression-knows-the-kernel-only', src('expression/language/parse.ts'), src('filter/index.ts')],
  ['areas-do-not-look-up', src('management/users/records/create-user.ts'), src('app/services.ts')],
  ['areas-do-not-look-up', src('oauth/issuer.ts'), src('settings/config.ts')],
  ['settings-know-no-area', src('settings/settings.ts'), src('search/index.ts')],
  ['only-the-composition-imports-areas', src('gateway/index.ts'), src('management/users/index.ts')],
  ['areas-do-not-look-up', src('access/decide.ts'), src('cli/gatehouse.ts')],
  ['front-doors', src('management/groups/add-member.ts'), src('management/users/profile/profile.ts')],
  ['composition-uses-front-doors', src('app/application.ts'), src('management/users/profile/profile.ts')],
  ['access-and-log-know-no-slice', src('system-log/relay/relay.ts'), src('management/users/index.ts')],
  ['one-compiler-of-patterns', src('management/users/nick-names.ts'), 're2js'],
  ['one-compiler-of-patterns', src('expression/patterns.ts'), 're2js'],
  ['main-is-imported-by-nobody', src('cli/serve.ts'), src('main.ts')],
  ['sql-in-stores', src('management/users/find-user.ts'), 'kysely'],
  ['sql-in-stores', src('platform/jobs/claim.ts'), 'pg'],
  ['http-at-the-edge', src('management/users/routes.ts'), 'fastify'],
  ['pure-files-import-pure-files', src('management/users/rules.ts'), src('management/users/profile/profile.ts')],
  ['pure-files-import-pure-files', src('oauth/token/lifetime-rules.ts'), 'node:fs'],
  ['console-speaks-http', 'console/src/api/users.ts', src('kernel/words/namespace.ts')],
  ['product-does-not-import-tests', src('platform/mail/send.ts'), 'server/test/support/mailbox.ts'],
  ['product-does-not-import-tests', src('platform/mail/catch.ts'), src('platform/mail/send.test.ts')],
  ...sliceOrder
    .slice(0, -1)
    .map((slice, index) => [
      `slice-order-${slice.replace('/', '-')}`,
      src(`${slice}/early.ts`),
      src(`${sliceOrder[index + 1]}/index.ts`),
    ]),
];

/** Imports that resemble the violations in `CANARIES` but must pass. */
const ALLOWED = [
  // A cycle is reported only once, for the import in `CANARIES`.
  [src('platform/jobs/lap-two.ts'), src('platform/jobs/lap-one.ts')],
  [src('expression/pattern.ts'), 're2js'],
  [src('management/users/store.ts'), 'kysely'],
  [src('system-log/relay/ledger-store.ts'), 'pg'],
  [src('platform/http/server.ts'), 'fastify'],
  [src('kernel/words/ids.ts'), 'node:crypto'],
  [src('management/groups/members/list-members.ts'), src('management/users/index.ts')],
  [src('management/users/lifecycle/lifecycle.ts'), src('kernel/words/namespace.ts')],
  [src('app/application.ts'), src('management/users/routes.ts')],
];

const isPackage = (target) => !target.includes('/src/') && !target.includes('/test/');

function specifier(file, target) {
  if (isPackage(target)) return target;
  return `${'../'.repeat(file.split('/').length - 1)}${target}`;
}

function writeTree(base) {
  const imports = new Map();
  const add = (file, target) => imports.set(file, [...(imports.get(file) ?? []), target].filter(Boolean));
  for (const [file, target] of [...CANARIES.map((row) => row.slice(1)), ...ALLOWED]) {
    add(file, target);
    if (!isPackage(target)) add(target);
  }
  const write = (path, text) => {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  };
  for (const name of ['kysely', 'pg', 'fastify', 'left-pad', 're2js']) {
    write(
      `node_modules/${name}/package.json`,
      JSON.stringify({ name, version: '1.0.0', type: 'module', main: 'index.js' }),
    );
    write(`node_modules/${name}/index.js`, 'export const value = 1;\n');
  }
  for (const [file, targets] of imports) {
    // Walls must also stop imports of types.
    const lines = targets.map((target) => `import type {} from '${specifier(file, target)}';`);
    write(file, [...lines, 'export const value = 1;', ''].join('\n'));
  }
}

const sorted = (lines) => [...new Set(lines)].sort((left, right) => (left < right ? -1 : 1));

const target = (violation) => violation.to.replace(/^node_modules\/(.+)\/index\.js$/, '$1');

async function proveCanaries() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-walls-')));
  try {
    writeTree(base);
    const { violations } = await violationsIn(base, ['server', 'console']);
    const fired = sorted(
      violations.map((one) => `${one.rule.name}: ${one.from} -> ${target(one).replace(/^node:/, '')}`),
    );
    const meant = sorted(CANARIES.map(([rule, from, to]) => `${rule}: ${from} -> ${to.replace(/^node:/, '')}`));
    const silent = meant.filter((line) => !fired.includes(line)).map((line) => `does not fire: ${line}`);
    const wrong = fired.filter((line) => !meant.includes(line)).map((line) => `fires for nothing: ${line}`);
    const unproved = forbidden
      .filter(({ name }) => !CANARIES.some(([rule]) => rule === name))
      .map(({ name }) => `no canary breaks the rule ${name}`);
    return [...silent, ...wrong, ...unproved];
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

function unorderedSlices() {
  const management = join(ROOT, 'server', 'src', 'management');
  if (!existsSync(management)) return [];
  return readdirSync(management, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !sliceOrder.includes(`management/${entry.name}`))
    .map((entry) => `management/${entry.name} has no place in the order of slices (.dependency-cruiser.cjs)`);
}

/** Compares the enforced order with the list in ADR 0002. */
function undocumentedOrder() {
  const page = readFileSync(join(ROOT, 'docs', 'decisions', '0002-slices-and-front-doors.md'), 'utf8');
  const listed = /an order, and left may not import right:\n\n((?: {4}.+\n)+)/.exec(page)?.[1] ?? '';
  const names = listed.split(/[\s,]+/).filter((name) => name !== '');
  const enforced = sliceOrder.map((slice) => slice.replace('management/', ''));
  const isSame = names.length === enforced.length && names.every((name, index) => name === enforced[index]);
  return isSame ? [] : ['ADR 0002 lists another order of slices than .dependency-cruiser.cjs enforces'];
}

const problems = [...(await proveCanaries()), ...unorderedSlices(), ...undocumentedOrder()];
const folders = ['server/src', 'console/src'].filter((folder) => existsSync(join(ROOT, folder)));
const { violations, totalCruised, totalDependenciesCruised } = await violationsIn(ROOT, folders);
if (totalCruised === 0 || !(totalDependenciesCruised > 0)) problems.push('the cruiser saw no modules');
for (const { rule, from, to, cycle } of violations) {
  const path = cycle === undefined ? to : cycle.map((step) => step.name ?? step).join(' -> ');
  problems.push(`${rule.name}: ${from} -> ${path}`);
}
for (const problem of problems) console.error(problem);
console.log(`${CANARIES.length} canaries; ${totalCruised} modules, ${totalDependenciesCruised} imports seen`);
process.exit(problems.length === 0 ? 0 : 1);
