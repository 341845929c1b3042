// `npx tsx tools/two-versions.ts <commit or tag> [--built]` runs an older version and the current one on the same
// PostgreSQL, together and in turn. Each version reads, changes and deletes objects that the other creates. The exit
// code is 1 if a response is wrong or a later check fails, and 2 if no version is named.
import { parseArgs } from 'node:util';
import { eventually, FROM_BUILD, FROM_SOURCES } from './crash/service-process.ts';
import { type CrossReport, crossCalls, newerThings, type Side } from './nodes/cross-calls.ts';
import { type Node, openSharedInstallation, type SharedInstallation } from './nodes/installation.ts';
import { buildOlderVersion } from './nodes/older-version.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { built: { type: 'boolean', default: false } },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const MOST_TOLD = 60;
/** The job that adds missing objects to orgs runs once a minute. */
const PATIENCE_MILLISECONDS = 90_000;

const version = async ({ pool }: SharedInstallation): Promise<number> => {
  const { rows } = await pool.query<{ version: number }>('select max(version) as version from schema_migrations');
  return rows[0]?.version ?? 0;
};

/**
 * This query finds orgs that lack a built-in group, the default password policy or the default authorization server.
 */
const INCOMPLETE = `select o.subdomain from orgs o where
  not exists (select from groups g where g.org_id = o.id and g.type = 'BUILT_IN')
  or not exists (select from policies p where p.org_id = o.id and p.type = 'PASSWORD' and p.system)
  or not exists (select from authorization_servers s where s.org_id = o.id and s.is_default)`;

async function both(older: Node, newer: Node, installation: SharedInstallation, report: CrossReport): Promise<void> {
  const sideOf = async ({ name, port }: Node): Promise<Side> => ({ name, client: await installation.client(port) });
  const step = (text: string): void => print(`${text} (${report.calls} calls, ${report.faults.length} faults so far)`);

  await older.service.start();
  const old = await sideOf(older);
  await crossCalls(old, old, report);
  const before = await version(installation);
  step(`${older.name} alone, schema ${before}`);

  await newer.service.start();
  const now = await sideOf(newer);
  for (const [maker, user] of [
    [old, now],
    [now, old],
    [old, old],
    [now, now],
  ] as const)
    await crossCalls(maker, user, report);
  await newerThings(now, old, report);
  step(`both, schema ${await version(installation)}`);

  await older.service.end('SIGTERM');
  await older.service.start();
  await crossCalls(old, now, report);
  step(`${older.name} started again beside ${newer.name}`);

  await newer.service.end('SIGTERM');
  await crossCalls(old, old, report);
  const made = await older.service.cli('org', 'create', 'made-by-older');
  if (made.status !== 0) report.faults.push(`${older.name}: org create: ${made.output}`);
  step(`${older.name} alone again`);

  await older.service.end('SIGTERM');
  await newer.service.start();
  await crossCalls(now, now, report);
  const isComplete = async (): Promise<true | null> =>
    (await installation.pool.query(INCOMPLETE)).rows.length === 0 ? true : null;
  await eventually(`orgs made by ${older.name} complete`, PATIENCE_MILLISECONDS, isComplete).catch(
    (error: unknown) => void report.faults.push(String(error)),
  );
  const verified = await newer.service.cli('log', 'verify');
  if (verified.status !== 0) report.faults.push(`log verify: ${verified.output}`);
  step(`${newer.name} alone`);
}

const [commit] = positionals;
if (commit === undefined) {
  process.stderr.write('two-versions: say which commit or tag is the older version\n');
  process.exit(2);
}
print(`building ${commit} ...`);
const built = await buildOlderVersion(commit);
const installation = await openSharedInstallation();
const older = await installation.node('older', built.launch);
const newer = await installation.node('newer', values.built ? FROM_BUILD : FROM_SOURCES);
const report: CrossReport = { calls: 0, faults: [] };
try {
  await both(older, newer, installation, report);
} finally {
  for (const node of [older, newer]) await node.service.end('SIGTERM');
  await installation.close();
  await built.remove();
}
for (const fault of report.faults.slice(0, MOST_TOLD)) print(`  ${fault}`);
print(`calls ${report.calls}, faults ${report.faults.length}`);
process.exitCode = report.faults.length === 0 ? 0 : 1;
