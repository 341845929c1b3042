import { describe, expect, test } from 'vitest';
import { createHook, HOOKS, newHook, SECRET } from '../support/hook-receiver.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();

const URI = 'https://hooks.example/in';
const secretive = { type: 'HEADER', key: 'Authorization', value: SECRET };
const channelOf = (config: Readonly<Record<string, unknown>>) => ({
  channel: { type: 'HTTP', version: '1.0.0', config: { uri: URI, ...config } },
});
const pathOf = ({ id }: { id: string }): string => `${HOOKS}/${id}`;

describe('replace', () => {
  const replace = (hook: { id: string }, body: unknown) => org.admin.put(pathOf(hook), { body });

  test('what was read goes back in, and changes nothing that was not changed', async () => {
    const hook = await createHook(org, newHook(URI));
    const { body } = await replace(hook, { ...hook, name: 'renamed', description: 'said' });
    expect(body).toEqual({ ...hook, name: 'renamed', description: 'said', lastUpdated: expect.any(String) });
    const [updated] = await org.systemLog(`eventType eq "event_hook.updated" and target.id eq "${hook.id}"`);
    expect(updated.target[0].changeDetails).toEqual({
      from: { name: 'made by a test', description: null },
      to: { name: 'renamed', description: 'said' },
    });
  });

  test('a secret that is left out stays, unless it would go to another origin or under another name', async () => {
    const hook = await createHook(org, newHook(URI));
    const left = { type: 'HEADER', key: 'Authorization' };
    const sealed = async (): Promise<Buffer | null> => {
      const text = 'select sealed_secret from event_hooks where org_id = $1 and id = $2';
      return (await service.application.pool.query(text, [org.id, hook.id])).rows[0].sealed_secret;
    };
    const before = await sealed();
    expect(
      await replace(hook, newHook(URI, channelOf({ uri: 'https://hooks.example/other', authScheme: left }))),
    ).toMatchObject({
      status: 200,
    });
    expect(await sealed()).toEqual(before);
    for (const config of [
      { uri: 'https://evil.example/in', authScheme: left },
      { uri: 'https://hooks.example:8443/in', authScheme: left },
      { authScheme: { ...left, key: 'X-Other' } },
    ]) {
      const refused = await replace(hook, newHook(URI, channelOf(config)));
      expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
      expect(refused.body.errorCauses[0].errorSummary).toMatch(/^channel\.config\.authScheme\.value: /);
    }
    expect(await sealed()).toEqual(before);
    const elsewhere = channelOf({ uri: 'https://other.example/in', authScheme: { ...left, value: 'another' } });
    expect(await replace(hook, newHook(URI, elsewhere))).toMatchObject({ status: 200 });
    expect(await replace(hook, newHook(URI, channelOf({})))).toMatchObject({ status: 200 });
    expect(await sealed()).toBeNull();
    const refused = await replace(hook, newHook(URI, channelOf({ authScheme: left })));
    expect(refused).toMatchObject({ status: 400 });
  });

  test('that a secret was replaced is told, what it is now is not', async () => {
    const hook = await createHook(org, newHook(URI));
    const authScheme = { ...secretive, value: 'the next one' };
    await replace(hook, newHook(URI, channelOf({ authScheme })));
    const [updated] = await org.systemLog(`eventType eq "event_hook.updated" and target.id eq "${hook.id}"`);
    const { from, to } = updated.target[0].changeDetails;
    expect(Object.keys(to)).toEqual(['authValue']);
    expect(to.authValue).not.toBe(from.authValue);
    expect(JSON.stringify(updated)).not.toContain('the next one');
  });

  test('takes the status along, with its own event', async () => {
    const hook = await createHook(org, newHook(URI));
    expect((await replace(hook, { ...hook, status: 'INACTIVE' })).body).toMatchObject({ status: 'INACTIVE' });
    const logged = await org.systemLog(`target.id eq "${hook.id}"`);
    expect(logged.map(({ eventType }) => eventType)).toEqual([
      'event_hook.created',
      'event_hook.updated',
      'event_hook.deactivated',
    ]);
  });

  test('is refused as a creation is, and for hooks that are not there', async () => {
    const hook = await createHook(org, newHook(URI));
    expect(await replace(hook, newHook('http://hooks.example/'))).toMatchObject({ status: 400 });
    expect((await org.admin.get(pathOf(hook))).body).toEqual(hook);
    expect(await replace({ id: 'who00000000000000000' }, newHook(URI))).toMatchObject({ status: 404 });
  });
});
