#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { migrate } from '../platform/postgres/index.ts';
import { VERSION } from '../platform/release.ts';
import { EXIT } from '../process/exit-codes.ts';
import { exitCodeOf, operatorMessage } from '../process/operator-errors.ts';
import { supervise } from '../process/supervision/supervisor.ts';
import { describeConfig, loadConfig } from '../settings/config.ts';
import { addAppCommands } from './commands/app-commands.ts';
import { doctor } from './commands/doctor.ts';
import { addKeysCommands } from './commands/keys-commands.ts';
import { addMailCommands } from './commands/mail-commands.ts';
import { addOrgCommands } from './commands/org-commands.ts';
import { addThemeCommands } from './commands/theme-commands.ts';
import { addTokenCommands } from './commands/token-commands.ts';
import { addLogCommands } from './log/log-commands.ts';
import { type ListOptions, print, printableLines, printRows } from './output/output.ts';
import { connect } from './running/session.ts';
import { addExportCommands } from './transfer/export-commands.ts';
import { addImportCommands } from './transfer/import-commands.ts';

async function migrateDatabase(): Promise<void> {
  const { connection, close } = await connect(loadConfig(), { mayMake: true });
  try {
    const { applied, version } = await migrate(connection);
    for (const name of applied) print(`applied ${name}`);
    print(`The schema is at version ${version}.`);
  } finally {
    await close();
  }
}

function showConfig(options: ListOptions): void {
  const rows = describeConfig().map(({ name, value, source, meaning }) => ({ name, value, source, meaning }));
  printRows(rows, options);
}

function createProgram(): Command {
  const program = new Command('gatehouse')
    .description('Gatehouse, the self-hosted identity service. Settings come from GATEHOUSE_* variables.')
    .version(VERSION)
    .showHelpAfterError('(gatehouse --help lists the commands)')
    .exitOverride();
  program
    .command('serve')
    .description('run the service until it receives SIGTERM')
    .action(async () => {
      process.exitCode = await supervise();
    });
  program.command('migrate').description('upgrade the database to the schema of this release').action(migrateDatabase);
  program
    .command('config')
    .description('show the settings in effect, with secrets masked')
    .option('--json', 'print JSON')
    .action(showConfig);
  addOrgCommands(program);
  addThemeCommands(program);
  addTokenCommands(program);
  addAppCommands(program);
  addKeysCommands(program);
  addLogCommands(program);
  addImportCommands(program);
  addExportCommands(program);
  addMailCommands(program);
  program
    .command('doctor')
    .description('check the installation; the exit code is 1 when a check fails')
    .option('--json', 'print JSON')
    .action(async (options: ListOptions) => {
      process.exitCode = await doctor(options);
    });
  return program;
}

try {
  await createProgram().parseAsync(process.argv);
  // A handle that a library keeps open would otherwise keep the process alive.
  process.exit(process.exitCode ?? 0);
} catch (error) {
  // Commander has already printed the error. Requests for help or for the version also end here, with exit code 0.
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : EXIT.usage);
  const stack = error instanceof Error ? error.stack : String(error);
  // The message may contain names from files or from the database, and such names may include control characters.
  process.stderr.write(`gatehouse: ${printableLines(operatorMessage(error) ?? String(stack))}\n`);
  process.exit(exitCodeOf(error));
}
