import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { asApiError } from '../../src/platform/postgres/index.ts';
import type { TestResponse } from '../support/client.ts';
import { whileBusy } from '../support/cpu-time.ts';
import { newProfile } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

// F7 (docs/faults.md): the pool is exhausted. F8: a transaction locks a hot row. F9: many serialization failures and
// deadlocks occur.

const { service } = useService({ maximumConnections: 4 });

const unavailable = { status: 503, body: { errorCode: 'E0000181' }, headers: { 'retry-after': '1' } };

const releases: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const release of releases.splice(0)) await release();
});

async function lockUser(userId: string): Promise<() => Promise<void>> {
  const locker = new pg.Client({ ...service.database.connection });
  await locker.connect();
  await locker.query('begin');
  await locker.query('select from users where id = $1 for update', [userId]);
  let isReleased = false;
  const release = async (): Promise<void> => {
    if (!isReleased) await locker.end();
    isReleased = true;
  };
  releases.push(release);
  return release;
}

const timed = async (run: () => Promise<TestResponse>) => {
  const start = performance.now();
  const response = await run();
  return { response, milliseconds: performance.now() - start };
};

describe('a pool that is used up', () => {
  it('is 503 with Retry-After after five seconds, and all is well as soon as connections are free', async () => {
    const { application, org } = service;
    const { id } = await org.createUser();
    const held = await Promise.all(Array.from({ length: 4 }, () => application.pool.connect()));
    const { response, milliseconds } = await timed(() => org.admin.get(`/api/v1/users/${id}`));
    expect(response).toMatchObject(unavailable);
    expect(milliseconds).toBeLessThan(whileBusy(8_000));
    for (const client of held) client.release();
    expect((await org.admin.get(`/api/v1/users/${id}`)).status).toBe(200);
  });

  it('is 503 too when PostgreSQL has no connection left', () => {
    expect(asApiError({ code: '53300' }, {})).toMatchObject({ status: 503, code: 'E0000181' });
  });
});

describe('a row that somebody else has locked', () => {
  it('is waited for three seconds, then 503; other users are changed meanwhile', async () => {
    const { admin, createUser } = service.org;
    const [hot, other] = [await createUser(), await createUser()];
    const release = await lockUser(hot.id);
    const change = (id: string) => admin.post(`/api/v1/users/${id}`, { body: { profile: { nickName: 'changed' } } });
    const waiting = [timed(() => change(hot.id)), timed(() => change(hot.id))];
    for (let count = 0; count < 5; count += 1) {
      const { response, milliseconds } = await timed(() => change(other.id));
      expect(response.status).toBe(200);
      expect(milliseconds).toBeLessThan(whileBusy(1_500));
    }
    for (const { response, milliseconds } of await Promise.all(waiting)) {
      expect(response).toMatchObject(unavailable);
      expect(milliseconds).toBeGreaterThan(2_500);
      // The second request waits for two locks in turn, and PostgreSQL limits each wait.
      expect(milliseconds).toBeLessThan(whileBusy(8_000));
    }
    expect((await admin.get(`/api/v1/users/${hot.id}`)).body.profile.nickName ?? null).toBeNull();
    await release();
    expect((await change(hot.id)).status).toBe(200);
  });
});

describe.each(['40001', '40P01'])('a storm of SQLSTATE %s', (code) => {
  const run = (text: string) => service.database.pool.query(text);

  beforeAll(async () => {
    // A sequence does not roll back, so it counts all attempts.
    await run('create sequence storm_attempts');
    await run('create table storm_length (attempts bigint not null)');
    await run('insert into storm_length values (0)');
    await run(`create function storm() returns trigger language plpgsql as $$
      begin
        if nextval('storm_attempts') <= (select attempts from storm_length) then
          raise exception 'storm' using errcode = '${code}';
        end if;
        return null;
      end $$`);
    await run('create constraint trigger storm after insert or update on users for each row execute function storm()');
    await run('alter table users disable trigger storm');
  });
  afterAll(async () => {
    await run('drop trigger storm on users');
    await run('drop function storm');
    await run('drop table storm_length');
    await run('drop sequence storm_attempts');
  });
  beforeEach(() => run('alter table users enable trigger storm'));

  const storm = async (attempts: number): Promise<void> => {
    await run(`update storm_length set attempts = ${attempts}`);
    await run('alter sequence storm_attempts restart');
  };

  it('is tried again by the service itself, and has its effect once', async () => {
    await storm(3);
    const login = `storm-${code.toLowerCase()}@example.com`;
    const created = await service.org.admin.post('/api/v1/users', { body: { profile: newProfile({ login }) } });
    expect(created.status).toBe(200);
    const filter = `eventType eq "user.lifecycle.create" and target.id eq "${created.body.id}"`;
    expect(await service.org.systemLog(filter)).toHaveLength(1);
    const found = await service.org.admin.get(
      `/api/v1/users?filter=${encodeURIComponent(`profile.login eq "${login}"`)}`,
    );
    expect(found.body).toHaveLength(1);
  });

  it('is 503 with Retry-After when it does not end, and nothing of it is left', async () => {
    await storm(1_000_000);
    const login = `endless-${code.toLowerCase()}@example.com`;
    const refused = await service.org.admin.post('/api/v1/users', { body: { profile: newProfile({ login }) } });
    expect(refused).toMatchObject(unavailable);
    await storm(0);
    expect((await service.org.admin.get(`/api/v1/users/${login}`)).status).toBe(404);
    expect(JSON.stringify(await service.org.systemLog())).not.toContain(login);
  });
});

it('a commit that only a deferred check refuses leaves nothing and is not answered as done', async () => {
  const run = (text: string) => service.database.pool.query(text);
  await run(`create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'late' using errcode = '40001'; end $$`);
  await run(`create constraint trigger refuse after insert on users deferrable initially deferred
    for each row execute function refuse()`);
  const login = 'deferred@example.com';
  const refused = await service.org.admin.post('/api/v1/users', { body: { profile: newProfile({ login }) } });
  await run('drop trigger refuse on users');
  await run('drop function refuse');
  expect(refused).toMatchObject(unavailable);
  expect((await service.org.admin.get(`/api/v1/users/${login}`)).status).toBe(404);
});
