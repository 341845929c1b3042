import { expect, test } from 'vitest';
import { withCustomRole } from '../support/roles.ts';
import { useService } from '../support/use-service.ts';
import { CREDENTIALS, userPath } from '../support/users.ts';

const { org } = useService();

const FORBIDDEN = { status: 403, body: { errorCode: 'E0000006' } };

test('a role that may expire passwords gets no temporary one, by neither address', async () => {
  const expirer = await withCustomRole(org, ['users.credentials.expirePassword'], ['/api/v1/users']);
  const resetter = await withCustomRole(
    org,
    ['users.credentials.expirePassword', 'users.credentials.resetPassword'],
    ['/api/v1/users'],
  );
  const user = await org.createUser({ credentials: CREDENTIALS });
  const expiry = `${userPath(user.id)}/lifecycle/expire_password`;
  const ways = [`${expiry}?tempPassword=true`, `${expiry}_with_temp_password`];
  for (const way of ways) expect(await expirer.post(way)).toMatchObject(FORBIDDEN);
  const unchanged = await org.admin.get(userPath(user.id));
  expect(unchanged.body).toMatchObject({ status: 'ACTIVE', passwordChanged: user.passwordChanged });
  for (const way of ways) {
    expect(await resetter.post(way)).toMatchObject({ status: 200, body: { tempPassword: expect.any(String) } });
  }
  expect(await expirer.post(expiry)).toMatchObject({ status: 200, body: { status: 'PASSWORD_EXPIRED' } });
});
