import { describe, expect, test } from 'vitest';
import type { TestResponse } from '../support/client.ts';
import { ME, NO_SESSION, openSession, REFRESH_PATHS } from '../support/session-tokens.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf } from '../support/users.ts';

/** This file tests the refresh of sessions (specification 4.8; RFC 7240; attack 58 in docs/security-rows.md). */
const { service, org } = useService({ isShared: false });

const MINUTE_MILLISECONDS = 60_000;
const sessionPath = (id: string, rest = ''): string => `/api/v1/sessions/${id}${rest}`;
const at = (text: string): number => new Date(text).getTime();
const minutesBetween = ({ createdAt, expiresAt }: TestResponse['body']): number =>
  (at(expiresAt) - at(createdAt)) / MINUTE_MILLISECONDS;

describe('Prefer', () => {
  test.each(REFRESH_PATHS)('return=minimal skips the body at %s', async (path) => {
    const { client, id } = await openSession(service, org);
    const prefer = { headers: { prefer: 'respond-async, Return="minimal"; x=y' } };
    for (const response of [
      await client.post(`${ME}/${path}`, prefer),
      await org.admin.post(sessionPath(id, `/${path}`), prefer),
    ]) {
      expect(response).toMatchObject({
        status: 204,
        body: undefined,
        headers: { 'preference-applied': 'return=minimal' },
      });
    }
    expect(await eventsOf(org, await client.post(`${ME}/${path}`, prefer))).toHaveLength(1);
  });

  test.each(['return=representation', 'return=representation, return=minimal', 'minimal', '', 'x="return=minimal"'])(
    '%j does not',
    async (prefer) => {
      const { client, id } = await openSession(service, org);
      const response = await client.post(`${ME}/lifecycle/refresh`, { headers: { prefer } });
      expect(response).toMatchObject({ status: 200, body: { id } });
      expect(response.headers['preference-applied']).toBeUndefined();
    },
  );
});

describe('time', () => {
  test('idle too long, a session has ended: for its holder, and for administrators', async () => {
    const { client, id } = await openSession(service, org, { idleMinutes: 2 });
    service.clock.advance(2 * MINUTE_MILLISECONDS - 5_000);
    expect((await client.get(ME)).status).toBe(200);
    service.clock.advance(6_000);
    expect(await client.get(ME)).toMatchObject(NO_SESSION);
    expect(await client.post(`${ME}/lifecycle/refresh`)).toMatchObject(NO_SESSION);
    expect(await client.get('/api/v1/users/me')).toMatchObject({ status: 403, body: { errorCode: 'E0000005' } });
    expect(await org.admin.get(sessionPath(id))).toMatchObject(NO_SESSION);
    expect(await org.admin.post(sessionPath(id, '/refresh'))).toMatchObject(NO_SESSION);
    expect(await org.admin.put(sessionPath(id))).toMatchObject(NO_SESSION);
    expect(await org.admin.del(sessionPath(id))).toMatchObject(NO_SESSION);
  });

  test('a use does not extend it, a refresh does', async () => {
    const { body, client } = await openSession(service, org, { idleMinutes: 2 });
    service.clock.advance(MINUTE_MILLISECONDS);
    expect((await client.get(ME)).body.expiresAt).toBe(body.expiresAt);
    const refreshed = await client.post(`${ME}/lifecycle/refresh`);
    expect(minutesBetween(refreshed.body)).toBeGreaterThanOrEqual(3);
    expect((await client.get(ME)).body.expiresAt).toBe(refreshed.body.expiresAt);
    service.clock.advance(2 * MINUTE_MILLISECONDS - 5_000);
    expect((await client.get(ME)).status).toBe(200);
  });

  test('no refresh goes beyond the lifetime, and none follows it', async () => {
    const { body, client, id } = await openSession(service, org, { idleMinutes: 2, lifetimeMinutes: 3 });
    expect(minutesBetween(body)).toBe(2);
    service.clock.advance(1.75 * MINUTE_MILLISECONDS);
    for (const path of REFRESH_PATHS) {
      expect(minutesBetween((await client.post(`${ME}/${path}`)).body)).toBe(3);
      expect(minutesBetween((await org.admin.post(sessionPath(id, `/${path}`))).body)).toBe(3);
    }
    service.clock.advance(1.25 * MINUTE_MILLISECONDS);
    expect(await client.post(`${ME}/lifecycle/refresh`)).toMatchObject(NO_SESSION);
    expect(await org.admin.post(sessionPath(id, '/lifecycle/refresh'))).toMatchObject(NO_SESSION);
  });

  test('a lifetime shorter than the idle time counts from the start', async () => {
    const { body } = await openSession(service, org, { idleMinutes: 120, lifetimeMinutes: 5 });
    expect(minutesBetween(body)).toBe(5);
  });
});
