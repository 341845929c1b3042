import type { Command } from 'commander';
import { findLogKeys, listNewestCheckpoints } from '../../system-log/index.ts';
import { count } from '../arguments.ts';
import { print } from '../output/output.ts';
import { findOrg } from '../running/find-org.ts';
import { withApplication } from '../running/session.ts';
import { addExportCommand } from './log-export.ts';
import { addTailCommand } from './log-tail.ts';
import { addVerifyCommand } from './log-verify.ts';

interface OrgOption {
  readonly org?: string;
}

/** Prints checkpoints in the API's format, which `log verify --checkpoint` accepts. */
async function checkpoints(options: OrgOption & { readonly limit: number }): Promise<void> {
  const listed = await withApplication(async ({ db }) => {
    const { id } = await findOrg(db, options.org);
    return listNewestCheckpoints(db, id, options.limit);
  });
  print(JSON.stringify(listed, null, 2));
}

async function keys(options: OrgOption): Promise<void> {
  const found = await withApplication(async ({ db }) => findLogKeys(db, (await findOrg(db, options.org)).id));
  const set = found.map(({ kid, publicJwk }) => ({ ...publicJwk, kid, alg: 'RS256', use: 'sig' }));
  print(JSON.stringify({ keys: set }, null, 2));
}

export function addLogCommands(program: Command): void {
  const log = program.command('log').description('verify, export and read the System Log');
  const orgOption = ['--org <subdomain>', 'the org; needed when there is more than one'] as const;
  addVerifyCommand(log);
  addExportCommand(log);
  addTailCommand(log);
  log
    .command('checkpoints')
    .description('print the newest signed checkpoints; store them elsewhere for log verify --checkpoint')
    .option(...orgOption)
    .option('--limit <count>', 'number of checkpoints', count, 100)
    .action(checkpoints);
  log
    .command('keys')
    .description('print the keys that signed checkpoints; store them elsewhere for log verify --jwks')
    .option(...orgOption)
    .action(keys);
}
