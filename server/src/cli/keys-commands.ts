import type { Command } from 'commander';
import { openMasterKey } from '../installation.ts';
import { listSigningKeys, rotateSigningKey } from '../oauth/index.ts';
import { commandContext, findOrg } from './find-org.ts';
import { type ListOptions, print, printRows } from './output.ts';
import { withApplication } from './session.ts';

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
    const ports = { work, masterKey: await openMasterKey(config) };
    return rotateSigningKey(ports, commandContext(config, org), { atOnce: options.now === true });
  });
  print(`${kid} is published and signs from ${activeFrom.toISOString()}.`);
}

export function addKeysCommands(program: Command): void {
  const keys = program.command('keys').description('signing keys of the authorization server of an org');
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
}
