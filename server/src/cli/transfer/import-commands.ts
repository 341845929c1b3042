import { userInfo } from 'node:os';
import { basename, extname } from 'node:path';
import { type Command, Option } from 'commander';
import { userImportPorts } from '../../app/ports/transfer.ts';
import {
  type ImportCounts,
  type ImportReport,
  importUsersFile,
  openUsersFile,
  readRelayWatch,
  tryUsersFile,
  USER_FORMATS,
  type UserFormat,
} from '../../directory-transfer/index.ts';
import { wrongUsage } from '../log/log-arguments.ts';
import { numberEvents } from '../log/number-events.ts';
import { print, printable } from '../output/output.ts';
import { type ProgressBar, progressBar } from '../output/progress-bar.ts';
import { commandContext, findOrg } from '../running/find-org.ts';
import { withApplication } from '../running/session.ts';
import { addOrgImport } from './import-org-command.ts';
import { writeProblems } from './problems-file.ts';
import { createImportThrottle } from './throttle-import.ts';

interface UsersOptions {
  readonly org?: string;
  readonly format?: UserFormat;
  readonly existing: 'skip' | 'update' | 'refuse';
  readonly errors?: string;
  readonly dryRun?: boolean;
  readonly ignoreUnknown?: boolean;
  readonly administrators?: boolean;
  readonly again?: boolean;
  readonly json?: boolean;
}

const FORMATS_BY_NAME: Readonly<Record<string, UserFormat>> = {
  '.csv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
};

/** An import needs a connection for each batch that it processes concurrently. */
const IMPORT_CONNECTIONS = 4;

const NAMES: readonly (readonly [keyof Omit<ImportCounts, 'leftOut'>, string])[] = [
  ['rows', 'rows'],
  ['created', 'users created'],
  ['updated', 'updated'],
  ['unchanged', 'unchanged'],
  ['skipped', 'skipped'],
  ['refused', 'refused'],
  ['memberships', 'memberships'],
];

type TimedReport = ImportReport & { readonly seconds: { readonly import: number; readonly events: number } };

function printReport(report: TimedReport, options: UsersOptions, errors: string): void {
  const { counts, finishedBefore, seconds } = report;
  if (options.json === true) {
    print(JSON.stringify({ ...counts, dryRun: options.dryRun === true, finishedBefore, seconds }, null, 2));
    return;
  }
  if (finishedBefore !== null) {
    print(`This file was imported already, at ${finishedBefore.toISOString()}. Add --again to import it once more.`);
  }
  const told = NAMES.filter(([name]) => name === 'rows' || counts[name] > 0);
  const numbers = told.map(([name, words]) => `${counts[name].toLocaleString('en')} ${words}`).join(', ');
  print(options.dryRun === true ? `Nothing was written. The import would be: ${numbers}.` : `${numbers}.`);
  if (counts.refused > 0 && finishedBefore === null) print(`Refused rows are listed in ${errors}`);
  const leftOut = Object.entries(counts.leftOut).toSorted(([, left], [, right]) => right - left);
  if (leftOut.length === 0) return;
  const names = leftOut.slice(0, 20).map(([name, rows]) => `${printable(name)} (${rows.toLocaleString('en')} rows)`);
  print(`Left out because the schema has no such attribute: ${names.join(', ')}${leftOut.length > 20 ? ', ...' : ''}.`);
}

async function importUsers(file: string, options: UsersOptions, command: Command): Promise<void> {
  const format = options.format ?? FORMATS_BY_NAME[extname(file).toLowerCase()];
  if (format === undefined)
    return wrongUsage(command, '--format is needed: the name of the file does not tell the format');
  const ignoreUnknown = options.ignoreUnknown === true;
  const opened = await openUsersFile(file, { format, ignoreUnknown });
  const errors = options.errors ?? `${file}.errors.csv`;
  const report = await withApplication(async (application, config) => {
    const org = await findOrg(application.db, options.org);
    const bar: ProgressBar = progressBar(org.subdomain, options.dryRun === true ? 'tried' : 'imported');
    const request = {
      file: opened,
      fileName: basename(file),
      format,
      existing: options.existing,
      ignoreUnknown,
      administrators: options.administrators === true,
      again: options.again === true,
      operator: userInfo().username,
    };
    const hooks = {
      now: () => new Date(),
      progressed: ({ bytes, counts }: { readonly bytes: number; readonly counts: ImportCounts }) =>
        bar.show(bytes, opened.bytes, counts.rows),
      throttle: createImportThrottle(() => readRelayWatch(application.db)),
      problems: async (problems: Parameters<typeof writeProblems>[1]) => {
        await writeProblems(errors, problems);
      },
    };
    const run = options.dryRun === true ? tryUsersFile : importUsersFile;
    const startedAt = performance.now();
    const done = await run(userImportPorts(application), commandContext(config, org), request, hooks);
    bar.end();
    const importedAt = performance.now();
    if (options.dryRun !== true && done.finishedBefore === null) await numberEvents(application, org.subdomain);
    const seconds = { import: (importedAt - startedAt) / 1_000, events: (performance.now() - importedAt) / 1_000 };
    return { ...done, seconds };
  }, IMPORT_CONNECTIONS);
  printReport(report, options, errors);
  if (report.counts.refused > 0) process.exitCode = 1;
}

const USERS_HELP = `
csv: the first row names the columns: attributes of the profile by their names (login, email, firstName ...), and groups
(names, joined by semicolons), status, type (name of a user type), passwordHash ($2b$..., $argon2id$..., $pbkdf2-...,
$scrypt$...). Values are text; the schema says which become numbers. Nothing is read as a formula.
ndjson: one {"profile":{...},"groups":["..."],"status":"...","type":"...","passwordHash":"..."} per line.
keycloak: the export of a realm, as one file or as each of its parts. auth0: an export of users or password hashes
(NDJSON), or a file for bulk imports. Attributes that the schema does not have are left out and counted.

Because somebody else may have written the file, rows that would change an administrator, or add members to a group with
administrator roles, are refused unless you add --administrators.

Password hashes that take more than about 250 ms to check are refused: bcrypt above cost 12, argon2id above 786432 for m
times t, scrypt above 1048576 for N times r times p, PBKDF2 above 1300000 iterations (sha512: 600000).

A user is ACTIVE with a password hash and STAGED without one, unless the row has a status. No mails are sent.
Refused rows are listed in the errors file with number, field and reason; the others are imported, and the exit code is
1. If an import is interrupted, start it again with the same file; it continues where it stopped.
`;

export function addImportCommands(program: Command): void {
  const parent = program.command('import').description('import users, or whole orgs, from files');
  parent
    .command('users <file>')
    .description('import users')
    .option('--org <subdomain>', 'the org; needed when there is more than one')
    .addOption(new Option('--format <format>', 'format of the file (default: by its name)').choices(USER_FORMATS))
    .addOption(
      new Option('--existing <mode>', 'what to do with users whose login exists')
        .choices(['skip', 'update', 'refuse'])
        .default('skip'),
    )
    .option('--dry-run', 'show what would happen, without writing anything')
    .option('--errors <file>', 'file that lists refused rows (default: <file>.errors.csv)')
    .option('--ignore-unknown', 'leave out attributes that the schema does not have')
    .option('--administrators', 'allow changes to administrators and to members of groups with administrator roles')
    .option('--again', 'import a file again that was already imported')
    .option('--json', 'print JSON')
    .addHelpText('after', USERS_HELP)
    .action(importUsers);
  addOrgImport(parent);
}
