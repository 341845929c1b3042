import { describe, expect, test } from 'vitest';
import { comparable, denySignOn, newUser, REFUSED, signIn, step, WRONG } from '../support/authn.ts';
import { trustProxy } from '../support/org-settings.ts';
import { useService } from '../support/use-service.ts';
import { ANOTHER_PASSWORD, eventsOf, PASSWORD, userIn, userPath } from '../support/users.ts';

const { service } = useService({ isShared: false });

describe('sign-on policies', () => {
  test('DENY: the answer of a wrong password; the log says which rule it was', async () => {
    const org = await service.newOrg();
    const user = await newUser(org);
    const { policyId, ruleId } = await denySignOn(service, org, { connection: 'ANYWHERE' });
    const denied = await signIn(org.anonymous, user.profile.login);
    expect(denied).toMatchObject(REFUSED);
    expect(comparable(await signIn(org.anonymous, user.profile.login, WRONG))).toEqual(comparable(denied));
    expect(await eventsOf(org, denied)).toMatchObject([
      {
        eventType: 'policy.evaluate_sign_on',
        actor: { id: user.id },
        outcome: { result: 'DENY' },
        target: [{ id: policyId }, { id: ruleId }],
      },
      {
        eventType: 'user.session.start',
        outcome: { result: 'FAILURE', reason: 'POLICY_DENIED' },
        authenticationContext: { externalSessionId: null },
      },
    ]);
    expect((await org.admin.get(userPath(user.id))).body.lastLogin).toBeNull();
  });

  test('DENY from a zone: only who comes from there, by the address that the org believes', async () => {
    const org = await service.newOrg();
    const user = await newUser(org);
    const gateways = [{ type: 'CIDR', value: '203.0.113.0/24' }];
    const body = { type: 'IP', name: 'elsewhere', status: 'ACTIVE', gateways, proxies: null };
    const zone = await org.admin.post('/api/v1/zones', { body });
    expect(zone.status).toBe(200);
    await denySignOn(service, org, { connection: 'ZONE', include: [zone.body.id] });
    const from = { headers: { 'x-forwarded-for': '203.0.113.9' } };
    expect(await signIn(org.anonymous, user.profile.login, PASSWORD, from)).toMatchObject({ status: 200 });
    await trustProxy(service, org, '127.0.0.0/8');
    const denied = await signIn(org.anonymous, user.profile.login, PASSWORD, from);
    expect(denied).toMatchObject(REFUSED);
    expect(await eventsOf(org, denied)).toMatchObject([
      { client: { ipAddress: '203.0.113.9' }, debugContext: { debugData: { zones: zone.body.id } } },
      {},
    ]);
    const elsewhere = { headers: { 'x-forwarded-for': '198.51.100.9' } };
    expect(await signIn(org.anonymous, user.profile.login, PASSWORD, elsewhere)).toMatchObject({ status: 200 });
  });

  test('DENY lets nobody change an expired password, or reset one, on the way in', async () => {
    const org = await service.newOrg();
    const expired = await userIn(org, 'PASSWORD_EXPIRED');
    const forgotten = await org.createUser({ credentials: { password: { value: PASSWORD } } });
    const { stateToken } = (await signIn(org.anonymous, expired.profile.login)).body;
    const { recoveryToken } = (await step(org.admin, '/recovery/password', { username: forgotten.profile.login })).body;
    const resetting = (await step(org.anonymous, '/recovery/token', { recoveryToken })).body;
    const { policyId } = await denySignOn(service, org, { connection: 'ANYWHERE' });
    const change = { stateToken, oldPassword: PASSWORD, newPassword: ANOTHER_PASSWORD };
    const reset = { stateToken: resetting.stateToken, newPassword: ANOTHER_PASSWORD };
    for (const [path, body] of [
      ['/credentials/change_password', change],
      ['/credentials/reset_password', reset],
    ] as const) {
      const denied = await step(org.anonymous, path, body);
      expect(denied).toMatchObject(REFUSED);
      const events = await eventsOf(org, denied);
      expect(events.map(({ eventType }) => eventType)).toEqual(['policy.evaluate_sign_on', 'user.session.start']);
    }
    expect((await org.admin.get(userPath(expired.id))).body.status).toBe('PASSWORD_EXPIRED');
    await org.admin.post(`/api/v1/policies/${policyId}/lifecycle/deactivate`);
    service.clock.advance(1_100);
    expect((await step(org.anonymous, '/credentials/change_password', change)).body.status).toBe('SUCCESS');
    expect((await step(org.anonymous, '/credentials/reset_password', reset)).body.status).toBe('SUCCESS');
  });
});
