import type { Command } from 'commander';
import { connectionsOver, verifyOrg } from '../system-log/index.ts';
import { type Checkpoint, checkpoint } from './arguments.ts';
import { findOrg, findOrgs, type NamedOrg } from './find-org.ts';
import { printRows } from './output.ts';
import { withApplication } from './session.ts';

interface VerifyOptions {
  readonly org?: string;
  readonly checkpoint?: Checkpoint;
  readonly json?: boolean;
}

/** Recomputes the chain of one org, or of all; the exit code is 1 when one does not hold. */
async function verify(options: VerifyOptions): Promise<void> {
  const rows = await withApplication(async ({ db, pool }) => {
    const isOne = options.org !== undefined || options.checkpoint !== undefined;
    const orgs: readonly NamedOrg[] = isOne ? [await findOrg(db, options.org)] : await findOrgs(db);
    const connections = connectionsOver(pool);
    const found = [];
    for (const org of orgs) {
      const given = options.checkpoint === undefined ? {} : { checkpoint: options.checkpoint };
      const report = await verifyOrg(connections, org.id, given);
      found.push({
        org: org.subdomain,
        result: report.ok ? 'intact' : (report.fault?.kind ?? 'fault'),
        verified: report.verified,
        erased: report.erased,
        head: `${report.head.position}:${report.head.hash}`,
        fault: report.fault === null ? null : `at position ${report.fault.position}: ${report.fault.detail}`,
      });
    }
    return found;
  });
  printRows(rows, options);
  if (rows.some((row) => row.result !== 'intact')) process.exitCode = 1;
}

export function addLogCommands(program: Command): void {
  const log = program.command('log').description('the System Log');
  log
    .command('verify')
    .description('recompute every digest and the hash chain; note the printed head, it proves the log later')
    .option('--org <subdomain>', 'only this org')
    .option('--checkpoint <position:hash>', 'a head printed earlier, which the log must still contain', checkpoint)
    .option('--json', 'print JSON')
    .action(verify);
}
