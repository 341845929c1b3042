import { type Holder, IAM_ROLES, withCustomRole } from './roles.ts';
import type { TestOrg } from './service.ts';
import { userPath } from './users.ts';

/**
 * Creates a user from whom a custom role hides these attributes. `permissions` extend the role, and `paths` extend its
 * resource set.
 */
export async function closedTo(
  org: TestOrg,
  names: readonly string[],
  permissions: readonly string[],
  paths: readonly string[],
): Promise<Holder> {
  const holder = await withCustomRole(org, ['users.read', ...permissions], ['/api/v1/users', ...paths]);
  const [{ role }] = (await org.admin.get(`${userPath(holder.userId)}/roles`)).body;
  const conditions = { exclude: { 'svc:ResourceAttribute/User/Profile': names } };
  const set = await org.admin.put(`${IAM_ROLES}/${role}/permissions/svc.users.read`, { body: { conditions } });
  if (set.status !== 200) throw new Error(`the role was not narrowed: ${set.text}`);
  return holder;
}
