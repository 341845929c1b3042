import type { Command } from 'commander';
import { type Ask, type RekeyReport, rekey } from '../../directory-transfer/index.ts';
import { InstallationError, openMasterKey } from '../../installation/installation.ts';
import { listSigningKeys, rotateSigningKey } from '../../oauth/index.ts';
import { makeKeyPair } from '../../platform/crypto/index.ts';
import { connectionsOver } from '../../system-log/index.ts';
import { type ListOptions, print, printable, printRows } from '../output/output.ts';
import { commandContext, findOrg } from '../running/find-org.ts';
import { withApplication } from '../running/session.ts';

interface OrgOption {
  readonly org?: string;
}

async function list(options: ListOptions & OrgOption): Promise<void> {
  const keys = await withApplication(async ({ db }, config) =>
    listSigningKeys(db, commandContext(config, await findOrg(db, options.org))),
  );
  const rows = keys.map(({ activeFrom, createdAt, expiresAt, kid, state }) => ({
    kid,
    state,
    created: createdAt.toISOString(),
    signsFrom: (activeFrom > createdAt ? activeFrom : createdAt).toISOString(),
    acceptedUntil: expiresAt?.toISOString() ?? null,
  }));
  printRows(rows, options);
}

async function rotate(options: OrgOption & { now?: boolean }): Promise<void> {
  const { activeFrom, kid } = await withApplication(async ({ db, work }, config) => {
    const org = await findOrg(db, options.org);
    const ports = { work, makeKeyPair, masterKey: await openMasterKey(config) };
    return rotateSigningKey(ports, commandContext(config, org), { atOnce: options.now === true });
  });
  print(`${kid} is published and signs from ${activeFrom.toISOString()}.`);
}

const NO_PREVIOUS =
  'GATEHOUSE_MASTER_KEY_PREVIOUS is not set. Set it to the old key and GATEHOUSE_MASTER_KEY to the new one, ' +
  'restart every server with both, and run this command again.';

const DONE =
  'Nothing is sealed with the old key any more, so you can remove GATEHOUSE_MASTER_KEY_PREVIOUS. Refresh tokens and ' +
  'list cursors that were made under the old key and not used since become invalid then.';

function printRekey({ damaged, previous, resealed, unknown }: RekeyReport): void {
  print(`${resealed.toLocaleString('en')} values were sealed with the new key.`);
  if (unknown > 0) print(`${unknown.toLocaleString('en')} values are sealed with neither key and cannot be opened.`);
  for (const one of damaged) print(`The old key cannot open ${printable(one)}.`);
  if (previous === 0) print(DONE);
  else print(`${previous.toLocaleString('en')} values are still sealed with the old key. Keep it.`);
  if (previous > 0 || unknown > 0) process.exitCode = 1;
}

async function changeMasterKey(): Promise<void> {
  const report = await withApplication(async (application, config) => {
    const masterKey = await openMasterKey(config);
    const { previous } = masterKey;
    if (previous === null) throw new InstallationError(NO_PREVIOUS);
    return connectionsOver(application.pool).withConnection((connection) => {
      const ask: Ask = async <Row>(text: string, values: readonly unknown[]) =>
        (await connection.query(text, values)).rows as readonly Row[];
      return rekey({ ask, masterKey, previous });
    });
  });
  printRekey(report);
}

const REKEY_HELP = `
Seals everything again that the old master key has sealed, with the new one. Before you run it:
  1. Create a new key: openssl rand -base64 32
  2. Set GATEHOUSE_MASTER_KEY to it, and GATEHOUSE_MASTER_KEY_PREVIOUS to the old key or the path of its file.
     Without GATEHOUSE_MASTER_KEY, the key is master.key in the data folder: rename that file, and a new one is created.
  3. Restart every server with both settings. Servers then open values sealed with either key, and seal with the
     new one.
Servers keep running meanwhile. If this command is interrupted, start it again; it continues where it stopped.
gatehouse doctor shows how many values are left. You can then remove the old key, but older copies of the database
still need it.
`;

export function addKeysCommands(program: Command): void {
  const keys = program.command('keys').description('manage the signing keys of an org and the master key');
  const orgOption = ['--org <subdomain>', 'the org; needed when there is more than one'] as const;
  keys
    .command('list')
    .description('list the signing keys of an org, newest first')
    .option(...orgOption)
    .option('--json', 'print JSON')
    .action(list);
  keys
    .command('rotate')
    .description(
      'publish a new signing key, which is used from the next day; the old key is accepted until its tokens expire',
    )
    .option(...orgOption)
    .option('--now', 'use the new key at once; clients that cache the key set have to fetch it again')
    .action(rotate);
  keys
    .command('rekey')
    .description('change the master key, which seals keys and secrets in the database')
    .addHelpText('after', REKEY_HELP)
    .action(changeMasterKey);
}
