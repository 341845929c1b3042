import type { Application } from '../../src/app/application.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import type { Actor, Context, Principal } from '../../src/kernel/context.ts';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { randomAlphanumeric } from '../../src/kernel/words/ids.ts';
import { namespaceOf } from '../../src/kernel/words/namespace.ts';
import { createApiToken } from '../../src/management/api-tokens/index.ts';
import { createOrg } from '../../src/management/orgs/index.ts';
import { assignRole } from '../../src/management/roles/index.ts';
import { createUser } from '../../src/management/users/index.ts';
import { systemContext } from '../../src/system-log/index.ts';

export interface SeededOrg {
  readonly orgId: OrgId;
  readonly userId: string;
  readonly token: string;
  /** The user of the token, in the form in which use cases get their caller. */
  readonly principal: Principal;
  readonly actor: Actor;
  readonly baseUrl: string;
}

const contextOf = (clock: Clock, orgId: OrgId, baseUrl: string): Context => ({
  ...systemContext({ orgId, namespace: namespaceOf('svc'), name: 'test', now: clock.now() }),
  baseUrl,
});

export async function seedOrg(
  application: Application,
  clock: Clock,
  input: { subdomain: string; baseUrl: string },
): Promise<SeededOrg> {
  const { orgId } = await createOrg(application, clock.now(), { subdomain: input.subdomain, companyName: 'Test' });
  const org = { orgId, baseUrl: input.baseUrl };
  return { ...org, ...(await seedToken(application, clock, org, ['SUPER_ADMIN'])) };
}

export async function seedToken(
  application: Application,
  clock: Clock,
  org: Pick<SeededOrg, 'orgId' | 'baseUrl'>,
  roles: readonly string[],
): Promise<Omit<SeededOrg, 'orgId' | 'baseUrl'>> {
  const context = contextOf(clock, org.orgId, org.baseUrl);
  const login = `admin-${randomAlphanumeric(8).toLowerCase()}@example.com`;
  const profile = { firstName: 'Test', lastName: 'Administrator', login, email: login };
  const options = { activate: true, provider: false };
  const { user } = await createUser(
    application.users,
    context,
    { profile, credentials: { password: { value: 'Correct-1-Horse' } } },
    options,
  );
  for (const role of roles) await assignRole(application, context, 'USER', user.id, { type: role });
  const { id, value } = await createApiToken(application, context, { userId: user.id, name: 'test' });
  const actor = { id: user.id, type: 'User', alternateId: login, displayName: 'Test Administrator' };
  return { userId: user.id, token: value, principal: { kind: 'apiToken', tokenId: id, userId: user.id }, actor };
}
