import { beforeAll, describe, expect, test } from 'vitest';
import type { TestClient, TestResponse } from '../support/client.ts';
import { closedTo } from '../support/closed-attributes.ts';
import { assign as assignRole, type Holder } from '../support/roles.ts';
import { defineAttributes } from '../support/schemas.ts';
import { useService } from '../support/use-service.ts';
import { userPath } from '../support/users.ts';

// The log contains values of profile attributes. Only callers who may see all attributes get these values.

const { service, org } = useService({ isShared: false });
let user: TestResponse['body'];

const SSN = '078-05-1120';

beforeAll(async () => {
  await defineAttributes(org, { ssn: { title: 'SSN', type: 'string' } });
  user = await org.createUser();
  const changed = await org.admin.post(userPath(user.id), { body: { profile: { ssn: SSN, city: 'Wiblingen' } } });
  expect(changed.status, changed.text).toBe(200);
  await service.drained();
});

const CHANGE = 'eventType eq "user.account.update_profile"';
const ask = (client: TestClient, parameters: Readonly<Record<string, string>>) =>
  client.get(`/api/v1/logs?${new URLSearchParams(parameters).toString().replaceAll('+', '%20')}`);

async function changeFor(client: TestClient): Promise<TestResponse['body']> {
  const { body, status, text } = await ask(client, { filter: `${CHANGE} and target.id eq "${user.id}"` });
  expect(status, text).toBe(200);
  expect(body).toHaveLength(1);
  return body[0];
}

describe('the log tells values of attributes', () => {
  test.each(['SUPER_ADMIN', 'ORG_ADMIN', 'READ_ONLY_ADMIN', 'USER_ADMIN'] as const)(
    'to %s as they are stored, byte by byte',
    async (role) => {
      const reader = await org.withRoles(role);
      const event = await changeFor(reader);
      expect(event.target[0].changeDetails).toMatchObject({ from: { ssn: null }, to: { ssn: SSN, city: 'Wiblingen' } });
      const { rows } = await service.database.pool.query<{ body: string }>(
        'select body from log_unsealed where org_id = $1 and uuid = $2',
        [org.id, event.uuid],
      );
      const raw = await ask(reader, { filter: `uuid eq "${event.uuid}"` });
      expect(raw.text).toBe(`[${rows[0]?.body}]`);
    },
  );

  async function readers(): Promise<readonly Holder[]> {
    const closed = await closedTo(org, ['ssn'], [], []);
    await assignRole(org, userPath(closed.userId), 'REPORT_ADMIN');
    service.clock.advance(1_100);
    return [await org.withRoles('REPORT_ADMIN'), closed, await org.withRoles('REPORT_ADMIN', 'WORKFLOWS_ADMIN')];
  }

  test('to nobody who may not read them: names of attributes stay, and of whom', async () => {
    const whole = await changeFor(org.admin);
    for (const reader of await readers()) {
      const event = await changeFor(reader);
      expect(event.target[0].changeDetails.to).toMatchObject({ ssn: null, city: null });
      expect(Object.keys(event.target[0].changeDetails.from)).toEqual(Object.keys(whole.target[0].changeDetails.from));
      expect({ ...event, target: null }).toEqual({ ...whole, target: null });
      const { id, alternateId, displayName, type } = whole.target[0];
      expect(event.target[0]).toMatchObject({ id, alternateId, displayName, type });
      const all = await ask(reader, { limit: '1000' });
      for (const text of [SSN, 'Wiblingen']) expect(all.text).not.toContain(text);
    }
  });

  test('to no question: neither a keyword nor a filter finds what they say', async () => {
    for (const reader of [org.admin, ...(await readers())]) {
      for (const q of [SSN, '05', 'Wiblingen', `${user.id} Wiblingen`]) {
        const { body } = await ask(reader, { q });
        const types = body.map(({ eventType }: { eventType: string }) => eventType);
        expect([...new Set(types)].filter((type) => reader !== org.admin || type !== 'system.log.read')).toEqual([]);
      }
      for (const path of ['target.changeDetails.to.ssn', 'target.changeDetails', 'changeDetails.to.ssn']) {
        expect((await ask(reader, { filter: `${path} eq "${SSN}"` })).status).toBe(400);
      }
    }
  });

  test('nor what was searched for', async () => {
    const [reader] = await readers();
    if (reader === undefined) throw new Error('nobody reads');
    const data = 'debugContext.debugData';
    for (const filter of [
      `${data}.url sw "/api"`,
      `${data}.url pr`,
      `${data}.q eq "${SSN}"`,
      `${data}.filter gt "a"`,
    ]) {
      expect((await ask(reader, { filter })).status).toBe(400);
      expect((await ask(org.admin, { filter })).status).toBe(200);
    }
    expect((await ask(reader, { filter: `${data}.requestUri pr` })).status).toBe(200);
  });
});
