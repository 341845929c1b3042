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

async function recordPhase(
  { work }: Application,
  context: Context,
  facts: Readonly<Record<string, string>>,
): Promise<void> {
  const debugData = { ...facts, operator: userInfo().username };
  await work(context, async (_tx, record) => record({ eventType: 'system.org.export', debugData }));
}

const isThere = (path: string) => new InstallationError(`${path} already exists. Remove it first.`);

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

async function exportWholeOrg(path: string, options: ExportOptions): Promise<void> {
  const passphrase = await readPassphrase(options.passphraseFile);
  const hashes = options.withHashes === true;
  // A symbolic link counts as an existing file, even if its target does not exist.
  if ((await lstat(path).catch(() => null)) !== null) throw isThere(path);
  const partial = `${path}.part`;
  await rm(partial, { force: true });
  const rows = await withApplication(async (application, config) => {
    const org = await findOrg(application.db, options.org);
    const context = commandContext(config, org);
    const masterKey = await openMasterKey(config);
    const secrets = passphrase === null ? 'left out' : 'sealed';
    await recordPhase(application, context, { phase: 'started', hashes: String(hashes), secrets });
    const file = await open(partial, 'wx', 0o600);
    let written = 0;
    try {
      await connectionsOver(application.pool).withConnection(async (connection) => {
        const ask: Ask = async <Row>(text: string, values: readonly unknown[]) =>
          (await connection.query(text, values)).rows as readonly Row[];
        // All tables are read in one snapshot, so the export contains no concurrent changes.
        await ask('begin isolation level repeatable read read only', []);
        for await (const piece of exportOrg({ ask, masterKey }, org.id, { hashes, passphrase })) {
          await file.appendFile(piece.text);
          written += piece.rows;
        }
        await ask('commit', []);
      });
      await file.sync();
      // Unlike renaming, linking fails if somebody has created a file with this name in the meantime.
      await link(partial, path).catch((error: unknown) => {
        throw hasCode(error, 'EEXIST') ? isThere(path) : error;
      });
    } finally {
      await file.close();
      await rm(partial, { force: true });
    }
    await recordPhase(application, context, {
      phase: 'completed',
      hashes: String(hashes),
      secrets,
      rows: String(written),
    });
    return written;
  });
  print(`${path}: ${rows.toLocaleString('en')} rows.`);
  if (passphrase === null) print('Secrets of apps, providers, hooks, streams and signing keys are not in it.');
  if (!hashes) print('Passwords and API tokens are not in it.');
}

const HELP = `
The file is NDJSON: a header, the rows of the org table by table in key order, and a last line with their digest. Two
exports of an unchanged org are identical. gatehouse import org recreates the org from the file, with the same ids, in
an installation of the same release. Only the owner of the file can read it, because it contains the whole org.

The export does not contain the System Log (see gatehouse log export), sessions and unfinished requests or, by default,
secrets and passwords. Event hooks and log streams are inactive after an import.
`;

export function addExportCommands(program: Command): void {
  program
    .command('export')
    .description('export whole orgs to files')
    .command('org <file>')
    .description('write an org to a new file')
    .option('--org <subdomain>', 'the org; needed when there is more than one')
    .option(
      '--with-hashes',
      'include hashes of passwords and API tokens, so that users can sign in at the other installation',
    )
    .option('--passphrase-file <file>', 'include secrets, encrypted with the passphrase in the first line of this file')
    .addHelpText('after', HELP)
    .action(exportWholeOrg);
}
