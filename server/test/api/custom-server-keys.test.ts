import { createLocalJWKSet, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { rotateWhenDue } from '../../src/oauth/keys/rotation/rotate-signing-key.ts';
import { masterKeyOf } from '../../src/platform/crypto/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import {
  type CustomServer,
  good,
  newCustomServer,
  newServerClient,
  SERVERS,
  tokenAt,
} from '../support/custom-servers.ts';
import { until } from '../support/hook-receiver.ts';
import { makeTestKeyPair } from '../support/made-keys.ts';
import { operatorContext } from '../support/org-settings.ts';
import { movedBy } from '../support/time.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });
const app = beforeTests(() => newServerClient(org, 'private_key_jwt'));
const foreign = beforeTests(async () => await newCustomServer(await service.newOrg()));

const DAY = 24 * 3_600_000;

type Key = Readonly<Record<string, string>>;
const keysOf = async ({ path }: CustomServer): Promise<Key[]> => good(org.admin.get(`${path}/credentials/keys`));
const rotate = ({ path }: CustomServer, body: unknown = { use: 'sig' }) =>
  org.admin.post(`${path}/credentials/lifecycle/keyRotate`, { body });
const published = async ({ oauth }: CustomServer): Promise<string[]> =>
  (await good(org.anonymous.get(`${oauth}/v1/keys`))).keys.map(({ kid }: Key) => kid);
const statuses = (keys: readonly Key[]) => keys.map(({ status }) => status);
const verify = async (server: CustomServer, token: string) =>
  jwtVerify(token, createLocalJWKSet((await org.anonymous.get(`${server.oauth}/v1/keys`)).body), {
    issuer: server.issuer,
    currentDate: service.clock.now(),
  });

describe('keys of a custom server', () => {
  test('are there when it is made, and are no other server’s', async () => {
    const [one, other] = [await newCustomServer(org), await newCustomServer(org)];
    const [[key], [otherKey]] = [await keysOf(one), await keysOf(other)];
    expect(Object.keys(key ?? {})).toEqual(['kty', 'status', 'alg', 'kid', 'use', '_links', 'e', 'n']);
    expect(key).toMatchObject({ kty: 'RSA', status: 'ACTIVE', alg: 'RS256', use: 'sig', e: 'AQAB' });
    const href = `${org.baseUrl}${one.path}/credentials/keys/${key?.['kid']}`;
    expect(key?.['_links']).toEqual({ self: { href, hints: { allow: ['GET'] } } });
    const { credentials } = await good(org.admin.get(one.path));
    expect(credentials.signing).toMatchObject({ kid: key?.['kid'], rotationMode: 'AUTO' });
    const { lastRotated, nextRotation } = credentials.signing;
    expect(new Date(nextRotation).getTime() - new Date(lastRotated).getTime()).toBe(90 * DAY);
    expect(await published(one)).toEqual([key?.['kid']]);
    const ofOrg = (await org.anonymous.get('/oauth2/v1/keys')).body.keys.map(({ kid }: Key) => kid);
    expect(new Set([key?.['kid'], otherKey?.['kid'], ...ofOrg]).size).toBe(3);
  });

  test('of the default server bear its name', async () => {
    const { keys } = (await org.anonymous.get('/oauth2/default/v1/keys')).body;
    const [key] = await good(org.admin.get(`${SERVERS}/default/credentials/keys`));
    expect(keys).toMatchObject([{ kid: key.kid }]);
    const href = `${org.baseUrl}${SERVERS}/default/credentials/keys/${key.kid}`;
    expect(key._links.self.href).toBe(href);
    expect((await org.admin.get(`${SERVERS}/default/credentials/keys/${key.kid}`)).body).toEqual(key);
  });

  test('of the default server of a new org are made by a job, and by nobody who only looks', async () => {
    const fresh = await service.newOrg();
    const path = `${SERVERS}/default`;
    const keys = (): Promise<Key[]> => good(fresh.admin.get(`${path}/credentials/keys`));
    const signing = async () => (await good(fresh.admin.get(path))).credentials.signing;
    await until('the job made the key', async () => (await keys()).length === 1);
    expect(await signing()).toMatchObject({ kid: (await keys())[0]?.['kid'] });
    await service.database.pool.query(`delete from signing_keys where org_id = $1 and server_id <> ''`, [fresh.id]);
    expect(await signing()).toEqual({ rotationMode: 'AUTO' });
    expect(await keys()).toEqual([]);
  });

  test('rotate at once, in either mode; the former key is accepted until its tokens are over', async () => {
    for (const rotationMode of ['AUTO', 'MANUAL'] as const) {
      const server = await newCustomServer(org, { rotationMode, lifetimeMinutes: 1_440 });
      const old = await tokenAt(org, server, app);
      const [first] = await published(server);
      const rotated = await rotate(server);
      expect(rotated.status).toBe(200);
      expect(statuses(rotated.body)).toEqual(['ACTIVE', 'EXPIRED']);
      expect(rotated.body[1].kid).toBe(first);
      const { kid } = rotated.body[0];
      service.clock.advance(2_100);
      expect(await published(server)).toEqual([kid, first]);
      const young = await tokenAt(org, server, app);
      expect((await verify(server, young)).protectedHeader.kid).toBe(kid);
      expect((await verify(server, old)).protectedHeader.kid).toBe(first);
      expect(await keysOf(server)).toEqual(rotated.body);
      const { credentials } = await good(org.admin.get(server.path));
      expect(credentials.signing).toMatchObject({ kid, rotationMode });
      expect('nextRotation' in credentials.signing).toBe(rotationMode === 'AUTO');
      service.clock.advance(DAY - 10_000);
      expect(await published(server)).toEqual([kid, first]);
      service.clock.advance(3_600_000 + 10_000);
      expect(await published(server)).toEqual([kid]);
      expect(statuses(await keysOf(server))).toEqual(['ACTIVE']);
    }
  });

  test('rotate once for several who ask at once, and are told to the log', async () => {
    const server = await newCustomServer(org);
    const [first] = await published(server);
    const answers = await Promise.all([rotate(server), rotate(server), rotate(server)]);
    const kids = new Set(answers.map(({ body }) => body[0].kid));
    expect(kids.size).toBe(1);
    const filter = `eventType eq "app.oauth2.as.key.rollover" and target.id eq "${server.id}"`;
    const events = await org.systemLog(filter);
    expect(events).toMatchObject([
      { target: [{ id: server.id, type: 'AuthorizationServer', detailEntry: { kid: first } }] },
      {
        actor: { type: 'User' },
        target: [{ id: server.id, changeDetails: { from: { kid: first }, to: { kid: [...kids][0] } } }],
      },
    ]);
  });

  test('rotate by themselves after 90 days where the mode is AUTO, published a day before', async () => {
    const [auto, manual] = [await newCustomServer(org), await newCustomServer(org, { rotationMode: 'MANUAL' })];
    const ports = {
      db: service.database.db,
      work: service.application.work,
      makeKeyPair: makeTestKeyPair,
      masterKey: masterKeyOf(Buffer.alloc(32, 7)),
    };
    const due = () =>
      Promise.all([auto, manual].map(({ id }) => rotateWhenDue(ports, operatorContext(service, org), id)));
    await due();
    expect(statuses(await keysOf(auto))).toEqual(['ACTIVE']);
    const text = `update signing_keys set created_at = ${movedBy('created_at', '-89 days')} where server_id = any($1)`;
    await service.database.pool.query(text, [[auto.id, manual.id]]);
    await due();
    service.clock.advance(1_100);
    expect(statuses(await keysOf(auto))).toEqual(['ACTIVE', 'NEXT']);
    expect(await published(auto)).toHaveLength(2);
    const { credentials } = await good(org.admin.get(auto.path));
    expect(new Date(credentials.signing.nextRotation).getTime()).toBeGreaterThan(service.clock.now().getTime());
    expect(statuses(await keysOf(manual))).toEqual(['ACTIVE']);
    const [, next] = await keysOf(auto);
    expect((await rotate(auto)).body[0].kid).toBe(next?.['kid']);
  });

  test('a job waits for each server that is to rotate, also for one that was told so later', async () => {
    const server = await newCustomServer(org, { rotationMode: 'MANUAL' });
    await keysOf(server);
    const key = `next:${server.id}`;
    const waiting = async () =>
      (
        await service.database.pool.query('select payload from jobs where org_id = $1 and dedupe_key = $2', [
          org.id,
          key,
        ])
      ).rows;
    await service.database.pool.query('delete from jobs where org_id = $1 and dedupe_key = $2', [org.id, key]);
    const { name, description, audiences } = await good(org.admin.get(server.path));
    const credentials = { signing: { rotationMode: 'AUTO' } };
    await good(org.admin.put(server.path, { body: { name, description, audiences, credentials } }));
    expect(await waiting()).toEqual([{ payload: { serverId: server.id } }]);
  });

  test.each([{}, { use: 'enc' }, { use: null }, { use: 1 }])('are not rotated for %j', async (body) => {
    const server = await newCustomServer(org);
    expect(await rotate(server, body)).toMatchObject({
      status: 400,
      body: {
        errorCode: 'E0000001',
        errorSummary: 'Api validation failed: rotateKeys',
        errorCauses: [{ errorSummary: "Invalid value specified for key 'use' parameter" }],
      },
    });
    expect(await keysOf(server)).toHaveLength(1);
  });

  test('are unknown by another id, of another server and of another org', async () => {
    const [server, other] = [await newCustomServer(org), await newCustomServer(org)];
    const [otherKey] = await keysOf(other);
    const missing = { status: 404, body: { errorCode: 'E0000007' } };
    for (const path of [
      `${server.path}/credentials/keys/${otherKey?.['kid']}`,
      `${server.path}/credentials/keys/unknown`,
      `${foreign.path}/credentials/keys`,
      `${SERVERS}/ausnobody/credentials/keys`,
    ]) {
      expect(await org.admin.get(path)).toMatchObject(missing);
    }
    expect(await rotate(foreign)).toMatchObject(missing);
  });

  test('are for administrators of servers, who rotate them if they may change them', async () => {
    const server = await newCustomServer(org);
    expect((await org.anonymous.get(`${server.path}/credentials/keys`)).status).toBe(401);
    const reader = await org.withRoles('READ_ONLY_ADMIN');
    expect((await reader.get(`${server.path}/credentials/keys`)).status).toBe(200);
    const body = { use: 'sig' };
    const refused = await reader.post(`${server.path}/credentials/lifecycle/keyRotate`, { body });
    expect(refused).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
    const helper = await org.withRoles('HELP_DESK_ADMIN');
    expect((await helper.get(`${server.path}/credentials/keys`)).status).toBe(403);
  });
});
