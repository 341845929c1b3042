import { link, lstat, open, rm } from 'node:fs/promises';
import { userInfo } from 'node:os';
import type { Command } from 'commander';
import type { Application } from '../../app/application.ts';
import { type Ask, exportOrg } from '../../directory-transfer/index.ts';
import { InstallationError, openMasterKey } from '../../installation/installation.ts';
import type { Context } from '../../kernel/context.ts';
import { connectionsOver } from '../../system-log/index.ts';
import { print } from '../output/output.ts';
import { commandContext, findOrg } from '../running/find-org.ts';
import { withApplication } from '../running/session.ts';
import { readPassphrase } from './import-org-command.ts';

interface ExportOptions {
  readonly org?: string;
  readonly withHashes?: boolean;
  readonly passphraseFile?: string;
}

/** That an org leaves is told before its first byte does, and again when all has. */
async function tell({ work }: Application, context: Context, facts: Readonly<Record<string, string>>): Promise<void> {
  const debugData = { ...facts, operator: userInfo().username };
  await work(context, async (_tx, record) => record({ eventType: 'system.org.export', debugData }));
}

const isThere = (path: string) => new InstallationError(`${path} is there: remove it first.`);

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

async function exportWholeOrg(path: string, options: ExportOptions): Promise<void> {
  const passphrase = await readPassphrase(options.passphraseFile);
  const hashes = options.withHashes === true;
  // A link is in the way itself, wherever it leads.
  if ((await lstat(path).catch(() => null)) !== null) throw isThere(path);
  const partial = `${path}.part`;
  await rm(partial, { force: true });
  const rows = await withApplication(async (application, config) => {
    const org = await findOrg(application.db, options.org);
    const context = commandContext(config, org);
    const masterKey = await openMasterKey(config);
    const secrets = passphrase === null ? 'left out' : 'sealed';
    await tell(application, context, { phase: 'started', hashes: String(hashes), secrets });
    const file = await open(partial, 'wx', 0o600);
    let written = 0;
    try {
      await connectionsOver(application.pool).withConnection(async (connection) => {
        const ask: Ask = async <Row>(text: string, values: readonly unknown[]) =>
          (await connection.query(text, values)).rows as readonly Row[];
        // One snapshot: what changes meanwhile is in none of the tables.
        await ask('begin isolation level repeatable read read only', []);
        for await (const piece of exportOrg({ ask, masterKey }, org.id, { hashes, passphrase })) {
          await file.appendFile(piece.text);
          written += piece.rows;
        }
        await ask('commit', []);
      });
      await file.sync();
      // Fails, other than a renaming, where somebody made such a file meanwhile.
      await link(partial, path).catch((error: unknown) => {
        throw hasCode(error, 'EEXIST') ? isThere(path) : error;
      });
    } finally {
      await file.close();
      await rm(partial, { force: true });
    }
    await tell(application, context, { phase: 'completed', hashes: String(hashes), secrets, rows: String(written) });
    return written;
  });
  print(`${path}: ${rows.toLocaleString('en')} rows.`);
  if (passphrase === null) print('Secrets of apps, providers, hooks, streams and signing keys are not in it.');
  if (!hashes) print('Passwords and API tokens are not in it.');
}

const HELP = `
NDJSON: a header, the rows of the org table by table in the order of their keys, and a last line with their digest. Two
exports of an org that nobody changed are the same bytes. gatehouse import org makes the org anew from it, with the same
ids, in an installation of the same release. The file can be read by its owner only: it is all of the org.

Not in it: the System Log (gatehouse log export), sessions, what is under way; and by default secrets and passwords.
Event hooks and log streams arrive inactive.
`;

export function addExportCommands(program: Command): void {
  program
    .command('export')
    .description('whole orgs into files')
    .command('org <file>')
    .description('write an org to a new file')
    .option('--org <subdomain>', 'the org; needed when there is more than one')
    .option('--with-hashes', 'with hashes of passwords and of API tokens: users sign in at the other installation')
    .option('--passphrase-file <file>', 'with secrets, sealed under the passphrase in the first line of this file')
    .addHelpText('after', HELP)
    .action(exportWholeOrg);
}
