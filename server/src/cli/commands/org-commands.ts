import { userInfo } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { readRelayWatch } from '../../directory-transfer/index.ts';
import { InstallationError } from '../../installation/installation.ts';
import { systemClock } from '../../kernel/clock.ts';
import { commandLine } from '../../kernel/command-line.ts';
import { namespaceOf } from '../../kernel/words/namespace.ts';
import {
  addDomain,
  addTrustedProxy,
  beginOrgDeletion,
  changeOrgSettings,
  createOrg,
  eraseOrg,
  findDefaultOrgId,
  findOrgIdBySubdomain,
  renameOrg,
} from '../../management/orgs/index.ts';
import { type ListOptions, print, printRows } from '../output/output.ts';
import { commandContext, findOrg, findOrgs } from '../running/find-org.ts';
import { withApplication } from '../running/session.ts';

interface OrgOption {
  readonly org?: string;
}

async function create(subdomain: string, options: { name?: string }): Promise<void> {
  await withApplication(async (application, config) => {
    const companyName = options.name ?? subdomain;
    const ports = { work: application.work, namespace: namespaceOf(config.namespace) };
    const { orgId } = await createOrg(ports, new Date(), { subdomain, companyName });
    print(`${orgId}  ${subdomain}.${config.baseDomain}`);
    print(`Create its first administrator: ${commandLine(`token create --org ${subdomain} --administrator <login>`)}`);
  });
}

async function list(options: ListOptions): Promise<void> {
  const orgs = await withApplication(({ db }) => findOrgs(db));
  printRows(
    orgs.map(({ id, subdomain, companyName, status }) => ({ id, subdomain, name: companyName, status })),
    options,
  );
}

async function rename(from: string, to: string): Promise<void> {
  await withApplication(async (application, config) => {
    const org = await findOrg(application.db, from);
    await renameOrg(application, commandContext(config, org), to);
    print(`${org.id}  ${to}.${config.baseDomain}`);
  });
}

async function addOrgDomain(domain: string, options: OrgOption): Promise<void> {
  await withApplication(async (application, config) => {
    const org = await findOrg(application.db, options.org);
    await addDomain(application, commandContext(config, org), domain, config.baseDomain);
    print(`${domain} leads to ${org.subdomain}.`);
  });
}

async function addProxy(cidr: string, options: OrgOption): Promise<void> {
  await withApplication(async (application, config) => {
    const org = await findOrg(application.db, options.org);
    await addTrustedProxy(application, commandContext(config, org), cidr);
    print(`${org.subdomain} trusts X-Forwarded-For from ${cidr}.`);
  });
}

/** Text that is not JSON is taken as a string, so that a value such as `single` needs no quotes. */
function settingValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

async function setSetting(name: string, value: string, options: OrgOption): Promise<void> {
  await withApplication(async (application, config) => {
    const org = await findOrg(application.db, options.org);
    await changeOrgSettings(application, commandContext(config, org), { [name]: settingValue(value) });
    print(`${org.subdomain}: ${name} is ${value === 'null' ? 'back at its default' : value}.`);
  });
}

interface DeleteOptions {
  readonly confirm?: string;
}

const LOOK_MILLISECONDS = 500;

/** Closes the org and waits until a server has deleted the org's rows. Deletes them itself if no server is running. */
async function remove(subdomain: string, options: DeleteOptions): Promise<void> {
  await withApplication(async (application, config) => {
    const { db, namespace, work } = application;
    const org = await findOrg(db, subdomain);
    if (options.confirm !== org.subdomain) {
      throw new InstallationError(
        `This deletes all data of ${org.subdomain} and its log. Export it first, then add --confirm ${org.subdomain}.`,
      );
    }
    const home = await findDefaultOrgId(db);
    const context = commandContext(config, { id: home ?? org.id, subdomain: '' });
    const deletion = await beginOrgDeletion({ db, work }, context, org.id, { operator: userInfo().username });
    print(`${org.subdomain} can't be reached any more. Its data is being deleted.`);
    const isThere = async (): Promise<boolean> => (await findOrgIdBySubdomain(db, org.subdomain)) === org.id;
    // A server that has just ended still counts as alive for a short time.
    while ((await isThere()) && (await readRelayWatch(db)).isAlive) await delay(LOOK_MILLISECONDS);
    if (await isThere()) {
      await eraseOrg({ db, work }, deletion, { clock: systemClock, namespace }, new AbortController().signal);
    }
    print(`${org.id} is deleted.`);
  });
}

export function addOrgCommands(program: Command): void {
  const org = program.command('org').description('manage orgs');
  org
    .command('create <subdomain>')
    .description('create an org')
    .option('--name <name>', 'name of the company')
    .action(create);
  org.command('list').description('list all orgs').option('--json', 'print JSON').action(list);
  org.command('rename <subdomain> <new-subdomain>').description('change the subdomain of an org').action(rename);
  org
    .command('delete <subdomain>')
    .description('delete an org and all its data; a running server finishes the deletion if you interrupt this command')
    .option('--confirm <subdomain>', 'the subdomain again, as a confirmation')
    .action(remove);
  const orgOption = ['--org <subdomain>', 'the org; needed when there is more than one'] as const;
  org
    .command('domain')
    .description('manage custom domains of an org')
    .command('add <domain>')
    .description('serve an org under a custom domain')
    .option(...orgOption)
    .action(addOrgDomain);
  org
    .command('proxy')
    .description('manage the trusted proxies of an org')
    .command('add <cidr>')
    .description('trust the X-Forwarded-For header from these addresses')
    .option(...orgOption)
    .action(addProxy);
  org
    .command('set <setting> <value>')
    .description(
      'change a setting of an org: passwordErrors (perRule, single), perTokenPercent, rateLimits ({"users":500}), ' +
        'eventNames (specification, current), logRetentionDays (90 to 3650), httpRedirectUris (refused, allowed); ' +
        'null restores the default',
    )
    .option(...orgOption)
    .action(setSetting);
}
