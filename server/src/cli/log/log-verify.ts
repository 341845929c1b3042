import type { Command } from 'commander';
import { InstallationError } from '../../installation/installation.ts';
import type { Db } from '../../platform/postgres/index.ts';
import {
  CheckpointRefusedError,
  type Connections,
  connectionsOver,
  findLogKeys,
  type StatementKeys,
  statementKeys,
  type VerifyFault,
  type VerifyReport,
  verifyFile,
  verifyOrg,
} from '../../system-log/index.ts';
import { printRows } from '../output/output.ts';
import { findOrg, findOrgs, type NamedOrg } from '../running/find-org.ts';
import { withLog } from '../running/session.ts';
import {
  checkpointOption,
  type GivenCheckpoint,
  linesOf,
  openCheckpoints,
  readKeyFile,
  wrongUsage,
} from './log-arguments.ts';
import { progressOf } from './log-progress.ts';

interface VerifyCommandOptions {
  readonly org?: string;
  readonly file?: string;
  readonly checkpoint?: readonly GivenCheckpoint[];
  readonly jwks?: string;
  readonly json?: boolean;
}

const faultText = ({ detail, position, uuid }: VerifyFault): string =>
  `at position ${position}${uuid === null ? '' : ` (event ${uuid})`}: ${detail}`;

const faultCells = (fault: VerifyFault | null) => ({
  position: fault?.position ?? null,
  uuid: fault?.uuid ?? null,
  fault: fault === null ? null : faultText(fault),
});

interface Verifying {
  readonly db: Db;
  readonly connections: Connections;
  readonly options: VerifyCommandOptions;
  readonly keys: StatementKeys | null;
}

async function verifyOne({ connections, db, keys, options }: Verifying, org: NamedOrg): Promise<VerifyReport> {
  const given = options.checkpoint ?? [];
  const own = async () =>
    statementKeys((await findLogKeys(db, org.id)).map(({ kid, publicJwk }) => ({ ...publicJwk, kid })));
  const checkpoints = given.length === 0 ? [] : await openCheckpoints(given, keys ?? (await own()), org.id);
  const report = await verifyOrg(connections, org.id, {
    checkpoints,
    ...(keys === null ? {} : { keys }),
    onProgress: progressOf(org.subdomain, 'verified'),
  });
  const before = checkpoints.filter(({ position }) => position < report.start).length;
  if (before > 0) {
    process.stderr.write(`${org.subdomain}: ${before} checkpoints refer to events that have left the log.\n`);
  }
  return report;
}

/** Recomputes the chain of one org, or of all orgs. Tells whether all recomputed chains are intact. */
async function verifyDatabase(options: VerifyCommandOptions): Promise<boolean> {
  const keys = options.jwks === undefined ? null : await readKeyFile(options.jwks);
  const rows = await withLog(async ({ db, pool }) => {
    const isOne = options.org !== undefined || options.checkpoint !== undefined;
    const orgs: readonly NamedOrg[] = isOne ? [await findOrg(db, options.org)] : await findOrgs(db);
    const verifying = { db, keys, options, connections: connectionsOver(pool) };
    const found = [];
    for (const org of orgs) {
      const report = await verifyOne(verifying, org);
      found.push({
        org: org.subdomain,
        result: report.ok ? 'intact' : (report.fault?.kind ?? 'fault'),
        verified: report.verified,
        erased: report.erased,
        checkpoints: report.checkpoints,
        head: `${report.head.position}:${report.head.hash}`,
        ...faultCells(report.fault),
      });
    }
    return found;
  });
  printRows(rows, options);
  return rows.every((row) => row.result === 'intact');
}

/** Verifies an export file that was made with `--proof`. Tells whether it is intact. */
async function verifyExport(file: string, options: VerifyCommandOptions, command: Command): Promise<boolean> {
  const given = options.checkpoint ?? [];
  if (options.jwks === undefined && given.some((one) => 'file' in one)) {
    wrongUsage(command, 'checkpoints from a file need --jwks <file> to check their signatures');
  }
  const keys = options.jwks === undefined ? null : await readKeyFile(options.jwks);
  const checkpoints = await openCheckpoints(given, keys ?? new Map(), null);
  const progress = progressOf(file, 'verified');
  const report = await verifyFile(linesOf(file), { keys, checkpoints, onProgress: progress }).catch(
    (error: unknown) => {
      if (error instanceof Error && 'syscall' in error)
        throw new InstallationError(`${file} can't be read: ${error.message}`);
      throw error;
    },
  );
  const { checkpoints: passed, erased, fault, from, leftOut, ok, org, provedTo, to, verified } = report;
  const result = ok ? 'intact' : (fault?.kind ?? 'fault');
  const cells = { org, result, from, to, verified, leftOut, erased, checkpoints: passed, provedTo };
  printRows([{ ...cells, ...faultCells(fault) }], options);
  if (ok && provedTo === null) {
    process.stderr.write(
      'The file is consistent with itself, but no checkpoint covers it, so it could have been rewritten as a whole.\n',
    );
  }
  return ok;
}

async function verify(options: VerifyCommandOptions, command: Command): Promise<void> {
  if (options.file !== undefined && options.org !== undefined) {
    wrongUsage(command, '--org cannot be combined with --file: the file names its org');
  }
  try {
    const ok =
      options.file === undefined ? await verifyDatabase(options) : await verifyExport(options.file, options, command);
    if (!ok) process.exitCode = 1;
  } catch (error) {
    if (error instanceof CheckpointRefusedError) throw new InstallationError(error.message);
    throw error;
  }
}

const HELP = `
Without --checkpoint and --jwks, the log is checked against itself and against the checkpoints in the database.
Somebody with full access to the database could rewrite all of these. To detect that, pass signed checkpoints
(GET /api/v1/logs/checkpoints, gatehouse log checkpoints) and keys (gatehouse log keys) that you stored elsewhere.
`;

export function addVerifyCommand(log: Command): void {
  log
    .command('verify')
    .description('check every digest, column and token and the hash chain; the exit code is 1 when a check fails')
    .option('--org <subdomain>', 'only this org')
    .option('--file <export>', 'an export made with --proof, instead of the database')
    .option(
      '--checkpoint <file|position:hash>',
      'stored checkpoints (JSON from the API, or one JWS per line), or a head printed earlier; repeatable',
      checkpointOption,
    )
    .option('--jwks <file>', "the org's keys as you stored them (default: those in the database)")
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(verify);
}
