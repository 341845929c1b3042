import { describe, expect, test } from 'vitest';
import { behind } from '../support/behind.ts';
import type { TestResponse } from '../support/client.ts';
import { ME, NO_SESSION, type OpenSession, openSession } from '../support/session-tokens.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf } from '../support/users.ts';

/**
 * A refresh decides by the session that authenticated the request (ADR 0072), or under locks (ADR 0082). In these
 * races, the data changes after the session was read, so the refresh must notice it.
 */
const { service, org } = useService();

type Race = (change: string) => Promise<TestResponse & { readonly session: OpenSession }>;

const WAYS: readonly (readonly [string, Race])[] = [
  [
    'while the refresh waits for the changed row',
    async (change) => {
      const session = await openSession(service, org);
      const refresh = () => session.client.post(`${ME}/lifecycle/refresh`);
      return { ...(await behind(service, change, [org.id, session.userId], refresh)), session };
    },
  ],
  [
    'before the refresh, and unknown to the process',
    async (change) => {
      const session = await openSession(service, org);
      await session.client.get(ME);
      await service.database.pool.query(change, [org.id, session.userId]);
      return { ...(await session.client.post(`${ME}/lifecycle/refresh`)), session };
    },
  ],
];

describe.each(WAYS)('%s', (_way, race) => {
  test.each([
    ['the user is suspended', `update users set status = 'SUSPENDED' where org_id = $1 and id = $2`],
    ['the session is voided', 'update users set valid_after = clock_timestamp() where org_id = $1 and id = $2'],
    ['the user is deleted', 'delete from users where org_id = $1 and id = $2'],
    ['the session ends', 'delete from sessions where org_id = $1 and user_id = $2'],
    [
      'the session expires',
      `update sessions set expires_at = created_at - interval '1 hour' where org_id = $1 and user_id = $2`,
    ],
  ])('%s: nothing is refreshed', async (_, change) => {
    expect(await race(change)).toMatchObject(NO_SESSION);
  });

  test.each([
    ['login', `login = 'augusta'`, { alternateId: 'augusta' }],
    ['first name', `profile = jsonb_set(profile, '{firstName}', '"Augusta"')`, { displayName: 'Augusta Lovelace' }],
    ['last name', `profile = jsonb_set(profile, '{lastName}', '"King"')`, { displayName: 'Ada King' }],
    ['first name, which is removed', `profile = profile - 'firstName'`, { displayName: 'Lovelace' }],
  ])('the user gets another %s: the event has it', async (_, set, named) => {
    const answer = await race(`update users set ${set} where org_id = $1 and id = $2`);
    const [event] = await eventsOf(org, answer);
    expect(answer.status).toBe(200);
    expect(event.target).toEqual([expect.objectContaining({ id: answer.session.userId, ...named })]);
  });

  test.each([
    ['external_id', 'externalSessionId'],
    ['root_external_id', 'rootSessionId'],
  ])('the session gets another %s: the event has it', async (column, member) => {
    const answer = await race(`update sessions set ${column} = 'trs' || user_id where org_id = $1 and user_id = $2`);
    const [event] = await eventsOf(org, answer);
    expect(answer.status).toBe(200);
    expect(event.authenticationContext).toMatchObject({ [member]: `trs${answer.session.userId}` });
  });
});

test('the session passed to another user before the refresh: the event names that user', async () => {
  const session = await openSession(service, org);
  await session.client.get(ME);
  const change = 'update sessions set user_id = $3 where org_id = $1 and user_id = $2';
  await service.database.pool.query(change, [org.id, session.userId, org.adminUserId]);
  const [event] = await eventsOf(org, await session.client.post(`${ME}/lifecycle/refresh`));
  expect(event.target).toEqual([expect.objectContaining({ id: org.adminUserId })]);
});
