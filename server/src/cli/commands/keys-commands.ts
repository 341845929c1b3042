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
  'GATEHOUSE_MASTER_KEY_PREVIOUS names no key. Name the old key there and the new one in GATEHOUSE_MASTER_KEY, ' +
  'restart every server with both, and run this again.';

const DONE =
  'Nothing is sealed with the old key any more: GATEHOUSE_MASTER_KEY_PREVIOUS may be taken out. With it end what the ' +
  'old key has made and nobody came back with since: refresh tokens, and places in lists.';

function printRekey({ damaged, previous, resealed, unknown }: RekeyReport): void {
  print(`${resealed.toLocaleString('en')} values were sealed with the new key.`);
  if (unknown > 0) print(`${unknown.toLocaleString('en')} values are sealed with neither key; nothing opens them.`);
  for (const one of damaged) print(`The old key does not open ${printable(one)}.`);
  if (previous === 0) print(DONE);
  else print(`${previous.toLocaleString('en')} values are still sealed with the old key, which has to stay.`);
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
Seals with the new master key whatever the old one has sealed. Before it:
  1. Make a new key: openssl rand -base64 32
  2. Name it in GATEHOUSE_MASTER_KEY, and the old one, or the path of its file, in GATEHOUSE_MASTER_KEY_PREVIOUS.
     Without GATEHOUSE_MASTER_KEY the key is master.key in the data folder: rename that file, and a new one is made.
  3. Restart every server with both. They open what either has sealed, and seal with the new one.
Servers go on meanwhile. A run that was killed goes on where it was when it is started again. gatehouse doctor tells
what is left. At the end the old key may be taken out; copies of the database from before still need it.
`;

export function addKeysCommands(program: Command): void {
  const keys = program
    .command('keys')
    .description('signing keys of the authorization server of an org, and the master key');
  const orgOption = ['--org <subdomain>', 'the org; needed when there is more than one'] as const;
  keys
    .command('list')
    .description('list the keys, newest first')
    .option(...orgOption)
    .option('--json', 'print JSON')
    .action(list);
  keys
    .command('rotate')
    .description(
      'publish a new signing key, which signs a day later; the old one is accepted until its tokens are over',
    )
    .option(...orgOption)
    .option('--now', 'sign with it at once: clients that keep the key set must read it anew')
    .action(rotate);
  keys
    .command('rekey')
    .description('change the master key of the installation, which seals keys and secrets in the database')
    .addHelpText('after', REKEY_HELP)
    .action(changeMasterKey);
}
