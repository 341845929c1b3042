import { describe, expect, test } from 'vitest';
import { kindNamed, newAppOf } from '../support/app-kinds.ts';
import { APPS, createApp, invalidField } from '../support/apps.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });

describe('a shared password', () => {
  const basic = kindNamed('BASIC_AUTH template_basic_auth');
  const SHARED = { scheme: 'SHARED_USERNAME_AND_PASSWORD', userName: 'sharedusername' };
  const withPassword = (value: string) => newAppOf(basic, { credentials: { ...SHARED, password: { value } } });
  const stored = async (id: string): Promise<Buffer | null> => {
    const text = 'select sealed_password as sealed from apps where org_id = $1 and id = $2';
    return (await service.database.pool.query<{ sealed: Buffer | null }>(text, [org.id, id])).rows[0]?.sealed ?? null;
  };

  test('is sealed, said to be there, and shown nowhere', async () => {
    const app = await createApp(org, withPassword('Hunter-2-secret'));
    expect(app.credentials).toEqual({
      ...SHARED,
      userNameTemplate: { template: '${source.login}', type: 'BUILT_IN' },
      password: {},
      revealPassword: false,
      signing: {},
    });
    const sealed = await stored(app.id);
    expect(sealed?.includes('Hunter-2-secret')).toBe(false);
    expect(sealed?.length).toBeGreaterThan(40);
    const { rows } = await service.database.pool.query('select document::text from apps where id = $1', [app.id]);
    const seen = [app, (await org.admin.get(APPS)).body, await org.systemLog(), rows, service.logged()];
    expect(JSON.stringify(seen)).not.toContain('Hunter-2-secret');
  });

  test('stays when it is left out, changes with its event, and goes with its scheme', async () => {
    const { id } = await createApp(org, withPassword('first-one'));
    const first = await stored(id);
    const kept = await org.admin.put(`${APPS}/${id}`, { body: newAppOf(basic, { credentials: SHARED }) });
    expect(kept.body.credentials).toMatchObject({ userName: SHARED.userName, password: {} });
    expect(await stored(id)).toEqual(first);
    service.clock.advance(2_000);
    await org.admin.put(`${APPS}/${id}`, { body: withPassword('second-one') });
    expect(await stored(id)).not.toEqual(first);
    const [event] = (await org.systemLog(`target.id eq "${id}"`)).slice(-1);
    expect(Object.keys(event.target[0].changeDetails.to)).toEqual(['credentials.passwordSetAt']);
    const without = await org.admin.put(`${APPS}/${id}`, { body: newAppOf(basic) });
    expect(without.body.credentials).not.toHaveProperty('password');
    expect(await stored(id)).toBeNull();
    const refused = await org.admin.put(`${APPS}/${id}`, { body: newAppOf(basic, { credentials: SHARED }) });
    expect(refused).toMatchObject(invalidField('credentials.password.value'));
  });
});
