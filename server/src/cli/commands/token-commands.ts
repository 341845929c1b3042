import type { Command } from 'commander';
import type { Application } from '../../app/application.ts';
import { InstallationError } from '../../installation/installation.ts';
import type { Context } from '../../kernel/context.ts';
import { ApiError } from '../../kernel/errors/errors.ts';
import { createApiToken } from '../../management/api-tokens/index.ts';
import { assignRole } from '../../management/roles/index.ts';
import { createUser, getUser } from '../../management/users/index.ts';
import { newPassword } from '../../platform/crypto/index.ts';
import { print } from '../output/output.ts';
import { commandContext, findOrg } from '../running/find-org.ts';
import { withApplication } from '../running/session.ts';

interface CreateOptions {
  readonly org?: string;
  readonly user?: string;
  readonly administrator?: string;
  readonly name: string;
  readonly json?: boolean;
}

interface Owner {
  readonly userId: string;
  /** The initial password of an administrator who was created for this token, otherwise null. */
  readonly password: string | null;
}

async function findOwner(application: Application, context: Context, login: string): Promise<Owner> {
  try {
    const user = await getUser(application.users, context, { kind: 'all' }, login);
    return { userId: user.id, password: null };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    throw new InstallationError(`There is no user "${login}" in this org. Use --administrator <login> to create one.`);
  }
}

async function makeOwner(application: Application, context: Context, login: string): Promise<Owner> {
  const password = newPassword();
  const { user } = await createUser(
    application.users,
    context,
    {
      profile: { firstName: 'Org', lastName: 'Administrator', login, email: login },
      credentials: { password: { value: password } },
    },
    { activate: true, provider: false, nextLogin: 'changePassword' },
  );
  await assignRole(application, context, 'USER', user.id, { type: 'SUPER_ADMIN' });
  return { userId: user.id, password };
}

async function create(options: CreateOptions): Promise<void> {
  const { user, administrator } = options;
  if ((user === undefined) === (administrator === undefined)) {
    throw new InstallationError(
      'Name the owner of the token: --user <login>, or --administrator <login> for a new user.',
    );
  }
  const made = await withApplication(async (application, config) => {
    const context = commandContext(config, await findOrg(application.db, options.org));
    const owner =
      administrator === undefined
        ? await findOwner(application, context, user ?? '')
        : await makeOwner(application, context, administrator);
    const { id, value } = await createApiToken(application, context, { userId: owner.userId, name: options.name });
    return { id, userId: owner.userId, password: owner.password, token: value };
  });
  if (options.json === true) {
    print(JSON.stringify(made, null, 2));
    return;
  }
  if (made.password !== null) print(`One-time password: ${made.password}   (must be changed at first use)`);
  print(`API token (shown once): ${made.token}`);
}

export function addTokenCommands(program: Command): void {
  program
    .command('token')
    .description('manage API tokens')
    .command('create')
    .description('create an API token with the permissions of a user')
    .option('--org <subdomain>', 'the org; needed when there is more than one')
    .option('--user <login>', 'the owner of the token')
    .option('--administrator <login>', 'create a super administrator, and a token for them')
    .option('--name <name>', 'name of the token', 'gatehouse token create')
    .option('--json', 'print JSON')
    .action(create);
}
