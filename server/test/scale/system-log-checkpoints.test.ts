import { createPublicKey, verify as verifySignature } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { newAccessTokenId } from '../../src/oauth/access-tokens/access-token-id.ts';
import { makeCheckpoints } from '../../src/system-log/index.ts';
import { findMovedHeads } from '../../src/system-log/proof/cross-org-store.ts';
import { readStatement, statementKeys } from '../../src/system-log/proof/statements.ts';
import { whileBusy } from '../support/cpu-time.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const URL = '/api/v1/logs/checkpoints';
const MINUTE = 60_000;
const DAY = 86_400_000;

interface WireCheckpoint {
  readonly position: number;
  readonly hash: string;
  readonly created: string;
  readonly jws: string;
}

const { service, org } = useService({ isShared: false });

beforeAll(async () => {
  await org.createUser();
});

const sign = () => {
  const { db, logSigner } = service.application;
  return makeCheckpoints({ db, logSigner, clock: service.clock });
};

async function listed(of: TestOrg = org): Promise<WireCheckpoint[]> {
  const { body, status } = await of.admin.get(URL);
  expect(status).toBe(200);
  return body;
}

async function until<Found>(look: () => Promise<Found | undefined>): Promise<Found> {
  for (let tries = 0; tries < 2_000; tries += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await delay(25);
  }
  throw new Error('it did not come');
}

const headOf = async ({ id }: TestOrg) => {
  await service.drained();
  const { rows } = await service.database.pool.query<{ position: number; hash: Buffer }>(
    'select position::integer as position, hash from log_heads where org_id = $1',
    [id],
  );
  return rows[0];
};

const decode = (part: string | undefined) =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString()) as Record<string, unknown>;

describe('the job', () => {
  test('signs heads every five minutes by itself', async () => {
    expect(await listed()).toEqual([]);
    service.clock.advance(6 * MINUTE);
    const [checkpoint] = await until(async () => {
      const found = await listed();
      return found.length > 0 ? found : undefined;
    });
    expect(checkpoint).toEqual({
      position: expect.any(Number) as number,
      hash: expect.stringMatching(/^[\w-]{43}$/) as string,
      created: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      jws: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) as string,
    });
    // From here on, only the tests make checkpoints.
    await service.application.jobs.stop();
  });

  test('each names head, org, the checkpoint before and its instant, signed with a published key', async () => {
    await org.createUser();
    // Events that the service writes after a response may still wait for the relay.
    const { before, checkpoint, head } = await until(async () => {
      await service.drained();
      service.clock.advance(6 * MINUTE);
      const end = await headOf(org);
      await sign();
      const [newest, second] = await listed();
      return newest?.position === end?.position ? { before: second, checkpoint: newest, head: end } : undefined;
    });
    const [header, claims, signature] = (checkpoint?.jws ?? '').split('.');
    const { keys } = (await org.anonymous.get('/oauth2/v1/keys')).body;
    expect(decode(header)).toEqual({ alg: 'RS256', kid: keys[0].kid, typ: 'gatehouse-log-checkpoint+jwt' });
    expect(decode(claims)).toEqual({
      org: org.id,
      position: head?.position,
      hash: head?.hash.toString('base64url'),
      previous: before?.position,
      iss: org.id,
      iat: Math.floor(new Date(checkpoint?.created ?? '').getTime() / 1_000),
    });
    const key = createPublicKey({ key: keys[0], format: 'jwk' });
    const signed = Buffer.from(`${header}.${claims}`);
    expect(verifySignature('sha256', signed, key, Buffer.from(signature ?? '', 'base64url'))).toBe(true);
    expect(checkpoint?.hash).toBe(head?.hash.toString('base64url'));
  });

  test('leaves a log alone that did not move, and one that was signed just now', async () => {
    const before = await until(async () => {
      await service.drained();
      service.clock.advance(6 * MINUTE);
      await sign();
      const found = await listed();
      return found[0]?.position === (await headOf(org))?.position ? found : undefined;
    });
    service.clock.advance(6 * MINUTE);
    expect(await sign()).toBe(0);
    expect(await listed()).toEqual(before);
    await org.createUser();
    await service.drained();
    await until(async () => ((await sign(), (await listed()).length > before.length) ? true : undefined));
    await org.createUser();
    await service.drained();
    expect(await sign()).toBe(0);
  });

  test('does the orgs that wait longest first, some at a time, and goes on with the others', async () => {
    const orgs = [await service.newOrg(), await service.newOrg(), await service.newOrg()];
    await service.drained();
    for (const [index, { id }] of orgs.entries()) {
      const since = new Date(service.clock.now().getTime() - (10 - index) * MINUTE);
      await service.database.pool.query('update orgs set created_at = $2 where id = $1', [id, since]);
    }
    const { db, logSigner } = service.application;
    const signedOrgs: string[] = [];
    const ports = {
      db,
      clock: { now: () => new Date(service.clock.now().getTime() + 6 * MINUTE) },
      logSigner: async (...given: Parameters<typeof logSigner>) => {
        signedOrgs.push(given[0]);
        return logSigner(...given);
      },
      maximumOrgs: 1,
    };
    for (let run = 0; run < 4; run += 1) await makeCheckpoints(ports);
    const own = signedOrgs.filter((id) => orgs.some((one) => one.id === id));
    expect(own).toEqual(orgs.map(({ id }) => id));
  });

  test('one org whose key does not sign keeps no other waiting', async () => {
    const [broken, whole] = [await service.newOrg(), await service.newOrg()];
    await service.drained();
    const { db, logSigner } = service.application;
    const ports = {
      db,
      clock: { now: () => new Date(service.clock.now().getTime() + 6 * MINUTE) },
      logSigner: async (...given: Parameters<typeof logSigner>) => {
        if (given[0] === broken.id) throw new Error('sealed with another key');
        return logSigner(...given);
      },
    };
    await expect(makeCheckpoints(ports)).rejects.toThrow(/1 of \d+ logs got no checkpoint/);
    expect(await listed(whole)).toHaveLength(1);
    expect(await listed(broken)).toEqual([]);
  });

  test('a clock that was set back stops nothing', async () => {
    const own = await service.newOrg();
    await service.drained();
    const earlier = new Date(service.clock.now().getTime() - 60 * MINUTE);
    const before = new Date(earlier.getTime() - 4 * MINUTE);
    const moved = await findMovedHeads(service.application.db, { before, now: earlier, limit: 1_000 });
    expect(moved.map(({ orgId }) => orgId)).toContain(own.id);
  });
});

describe('checkpoints', () => {
  test('cannot be taken for access tokens, nor access tokens for checkpoints', async () => {
    const [checkpoint] = await listed();
    const bearer = org.client({ authorization: `Bearer ${checkpoint?.jws}` });
    expect((await bearer.get('/api/v1/users')).status).toBe(401);
    const { keys } = (await org.anonymous.get('/oauth2/v1/keys')).body;
    const { jws } = checkpoint ?? { jws: '' };
    const known = statementKeys(keys);
    expect(readStatement(jws, 'gatehouse-log-checkpoint+jwt', known, org.id)).toMatchObject({ org: org.id });
    expect(() => readStatement(jws, 'gatehouse-log-anchor+jwt', known, org.id)).toThrow('is not signed as');
    const issuedAt = service.clock.now();
    const { token } = await service.application.oauth.accessTokens.mint({
      orgId: org.id,
      jti: newAccessTokenId(issuedAt),
      issuer: org.baseUrl,
      subject: 'a',
      clientId: 'a',
      scopes: ['logs.read'],
      issuedAt,
    });
    expect(() => readStatement(token, 'gatehouse-log-checkpoint+jwt', known, org.id)).toThrow('is not signed as');
  });

  test('stay checkable when the key that signed them is swept away', async () => {
    const { rows } = await service.database.pool.query<{ kid: string }>('select kid from log_keys where org_id = $1', [
      org.id,
    ]);
    const { keys } = (await org.anonymous.get('/oauth2/v1/keys')).body;
    expect(rows.map(({ kid }) => kid)).toEqual([keys[0].kid]);
    await service.database.pool.query('update signing_keys set expires_at = now() where org_id = $1', [org.id]);
    await service.database.pool.query('delete from signing_keys where org_id = $1', [org.id]);
    const kept = await service.database.pool.query<{ kid: string; public_jwk: object }>(
      'select kid, public_jwk from log_keys where org_id = $1',
      [org.id],
    );
    const known = statementKeys(kept.rows.map(({ kid, public_jwk }) => ({ ...public_jwk, kid })));
    for (const { jws, position } of await listed()) {
      expect(readStatement(jws, 'gatehouse-log-checkpoint+jwt', known, org.id).position).toBe(position);
    }
  });
});

describe('retention', () => {
  test('keeps all of seven days, then the last of each day, and none whose events are gone', async () => {
    const own = await service.newOrg();
    await service.drained();
    // The first request creates the org's certificate, whose dates must be valid by the client's clock.
    await listed(own);
    service.clock.advance(DAY + 60 * MINUTE - (service.clock.now().getTime() % DAY));
    const now = service.clock.now().getTime();
    const midnight = Math.floor(now / DAY) * DAY;
    const instants = [-20, -20.2, -12, -12.3, -9.1, -9.4, -6.2, -6.4, -1].map((days) => midnight + days * DAY);
    const ordered = instants.toSorted((one, other) => one - other);
    for (const [index, instant] of ordered.entries()) {
      await service.database.pool.query(
        `insert into log_checkpoints (org_id, position, hash, created_at, signed)
         values ($1, $2, sha256('x'), $3, 'x')`,
        [own.id, index + 1, new Date(instant)],
      );
    }
    await service.database.pool.query(
      `insert into log_anchors (org_id, position, hash, signed, created_at) values ($1, 2, sha256('x'), 'x', now())`,
      [own.id],
    );
    await service.database.pool.query('update log_heads set position = 100 where org_id = $1', [own.id]);
    await until(async () => ((await sign(), (await listed(own))[0]?.position === 100) ? true : undefined));
    const left = (await listed(own)).map(({ created, position }) => [position, new Date(created).getTime()]);
    const days = (instant: number) => Math.round(((instant - midnight) / DAY) * 10) / 10;
    expect(left.slice(1).map(([, created]) => days(created ?? 0))).toEqual([-1, -6.2, -6.4, -9.1, -12, -12.3, -20]);
  });
});

test('ten thousand orgs cost a run little, and none where nothing moved', async () => {
  const { pool } = service.database;
  await pool.query(
    `insert into orgs (id, subdomain, company_name, created_at, last_updated_at)
     select '00obulk' || lpad(n::text, 13, '0'), 'bulk' || n, 'B', now() - interval '1 day', now()
     from generate_series(1, 10000) n`,
  );
  await pool.query(
    `insert into log_heads (org_id, position, hash) select id, 7, sha256(id::bytea) from orgs where id like '00obulk%'`,
  );
  await pool.query(
    `insert into log_checkpoints (org_id, position, hash, created_at, signed)
     select id, 7, sha256(id::bytea), now() - interval '1 hour', 'x' from orgs where id like '00obulk%'`,
  );
  await pool.query('analyze log_heads, log_checkpoints, orgs');
  const now = service.clock.now();
  const before = new Date(now.getTime() - 4 * MINUTE);
  const look = () => findMovedHeads(service.application.db, { before, now, limit: 5_000 });
  await look();
  const startedAt = performance.now();
  const moved = await look();
  const milliseconds = performance.now() - startedAt;
  expect(moved.filter(({ orgId }) => orgId.startsWith('00obulk'))).toEqual([]);
  // The time limit is high, because it is to reveal a wrong join, not a slow machine.
  expect(milliseconds).toBeLessThan(whileBusy(2_000));
  await pool.query(`update log_heads set position = 8 where org_id = '00obulk0000000004711'`);
  expect((await look()).map(({ orgId }) => orgId)).toContain('00obulk0000000004711');
});
