import { beforeEach, describe, expect, test } from 'vitest';
import { type OrgId, toOrgId } from '../../src/kernel/words/ids.ts';
import { listSigningKeys, publishedOrgKeys, rotateSigningKey } from '../../src/oauth/keys/index.ts';
import { dropSpentTokens } from '../../src/oauth/revocation/cross-org-store.ts';
import { masterKeyOf, SealError } from '../../src/platform/crypto/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import { openTestDatabase } from '../support/database.ts';
import { OAuthBench, type TokenProcess } from '../support/oauth-bench.ts';
import { testClock } from '../support/system-log.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;
const START = '2026-11-20T12:00:00.000Z';

const database = beforeTests(() => openTestDatabase());
let bench: OAuthBench;
let orgId: OrgId;
let one: TokenProcess;
let other: TokenProcess;
beforeEach(async () => {
  await database.pool.query('delete from jobs');
  bench = new OAuthBench(database, testClock(START));
  orgId = await bench.log.newOrg();
  one = bench.process(orgId);
  other = bench.process(orgId);
});

const kidOf = async ({ signingKeys }: TokenProcess): Promise<string> => (await signingKeys.signer(orgId)).kid;

const publishedBy = async ({ signingKeys }: TokenProcess): Promise<string[]> =>
  (await signingKeys.publicKeys(orgId)).map(({ kid }) => kid);

const isAccepted = async ({ verifier }: TokenProcess, token: string): Promise<boolean> =>
  !('refused' in (await verifier.read(orgId, token, bench.clock.now())));

const rotate = (atOnce: boolean) => rotateSigningKey(bench, bench.contextOf(orgId), { atOnce });

const storedKids = async (): Promise<string[]> => {
  const rows = await bench.log.query<{ kid: string }>(
    'select kid from signing_keys where org_id = $1 order by active_from desc',
    [orgId],
  );
  return rows.map(({ kid }) => kid);
};

const listed = async () => {
  const keys = await listSigningKeys(database.db, bench.contextOf(orgId));
  return keys.map(({ kid, state }) => [kid, state]);
};

async function events(): Promise<unknown[]> {
  await bench.log.drainAll();
  return bench.log.events(orgId);
}

describe('the first key', () => {
  test('is made when it is needed, once, by whichever process is first', async () => {
    expect(await storedKids()).toEqual([]);
    const uses = [one, other, one, other].flatMap((process) => [kidOf(process), publishedBy(process)]);
    const kids = new Set((await Promise.all(uses)).flat());
    expect(kids.size).toBe(1);
    expect(await storedKids()).toEqual([...kids]);
    expect(await events()).toMatchObject([
      {
        eventType: 'app.oauth2.key.rollover',
        actor: { type: 'SystemPrincipal' },
        target: [{ id: orgId, type: 'AuthorizationServer', detailEntry: { kid: [...kids][0], signsFrom: START } }],
      },
    ]);
  });

  test('is known at once to a process that had just seen that there is none', async () => {
    expect(await other.signingKeys.verificationKey(orgId, 'unknown')).toBeNull();
    const { token } = await one.mint();
    expect(await isAccepted(other, token)).toBe(true);
    expect(await kidOf(other)).toBe(await kidOf(one));
    expect(await storedKids()).toHaveLength(1);
  });

  test('is not made by looking whether a token holds', async () => {
    await one.signingKeys.verificationKey(orgId, 'unknown');
    expect(await storedKids()).toEqual([]);
  });

  test('is of its org', async () => {
    const otherOrg = await bench.log.newOrg();
    const { kid } = await one.signingKeys.signer(orgId);
    expect((await one.signingKeys.signer(otherOrg)).kid).not.toBe(kid);
    expect(await one.signingKeys.verificationKey(orgId, kid)).not.toBeNull();
    expect(await one.signingKeys.verificationKey(otherOrg, kid)).toBeNull();
  });

  test('of an org that does not exist is an error', async () => {
    await expect(one.signingKeys.signer(toOrgId('00onobody'))).rejects.toThrow();
  });
});

describe('rotation', () => {
  test('publishes the successor a day ahead, and accepts the former key until its tokens are over', async () => {
    const first = await kidOf(one);
    bench.advance(HOUR);
    const { kid: second, activeFrom } = await rotate(false);
    expect(activeFrom).toEqual(new Date('2026-11-21T13:00:00.000Z'));
    bench.advance(SECOND);
    for (const process of [one, other]) {
      expect(await publishedBy(process)).toEqual([second, first]);
      expect(await kidOf(process)).toBe(first);
    }
    bench.advance(DAY - 2 * SECOND);
    const last = await one.mint();
    bench.advance(SECOND);
    for (const process of [one, other]) expect(await kidOf(process)).toBe(second);
    expect(await isAccepted(other, (await one.mint()).token)).toBe(true);
    bench.advance(HOUR - 2 * SECOND);
    expect(await isAccepted(other, last.token)).toBe(true);
    bench.advance(HOUR + SECOND);
    expect(await publishedBy(one)).toEqual([second, first]);
    bench.advance(SECOND);
    expect(await publishedBy(one)).toEqual([second]);
    expect(await one.signingKeys.verificationKey(orgId, first)).toBeNull();
    expect(await one.signingKeys.verificationKey(orgId, second)).not.toBeNull();
  });

  test('at once waits until every process knows the key', async () => {
    const first = await kidOf(one);
    await kidOf(other);
    const { kid: second } = await rotate(true);
    one.signingKeys.drop(orgId);
    expect(await kidOf(one)).toBe(first);
    bench.advance(2 * SECOND);
    const { token } = await one.mint();
    expect(await kidOf(one)).toBe(second);
    expect(await isAccepted(other, token)).toBe(true);
  });

  test('twice is once: the key that waits is taken', async () => {
    await kidOf(one);
    const first = await rotate(false);
    bench.advance(HOUR);
    expect(await rotate(false)).toEqual(first);
    expect(await storedKids()).toHaveLength(2);
    expect(await events()).toHaveLength(2);
  });

  test('at once takes the key that waits', async () => {
    const former = await kidOf(one);
    const waiting = await rotate(false);
    bench.advance(HOUR);
    expect(await rotate(true)).toEqual({ kid: waiting.kid, activeFrom: new Date('2026-11-20T13:00:02.000Z') });
    bench.advance(2 * SECOND);
    expect(await kidOf(one)).toBe(waiting.kid);
    bench.advance(2 * HOUR);
    expect(await one.signingKeys.verificationKey(orgId, former)).toBeNull();
  });

  test('by many at once makes one successor', async () => {
    await kidOf(one);
    const made = await Promise.all(Array.from({ length: 4 }, () => rotate(false)));
    expect(new Set(made.map(({ kid }) => kid)).size).toBe(1);
    expect(await storedKids()).toHaveLength(2);
  });

  test('of an org without a key makes one that signs when all know it', async () => {
    const { kid } = await rotate(true);
    bench.advance(2 * SECOND);
    expect(await kidOf(one)).toBe(kid);
    expect(await storedKids()).toEqual([kid]);
  });
});

describe('the job', () => {
  const dueAt = async (): Promise<unknown[]> =>
    (await bench.log.query<{ run_at: Date }>('select run_at from jobs where org_id = $1', [orgId])).map(
      ({ run_at }) => run_at,
    );

  test('rotates every 90 days, and plans itself anew', async () => {
    const first = await kidOf(one);
    expect(await dueAt()).toEqual([new Date(new Date(START).getTime() + 89 * DAY)]);
    bench.advance(89 * DAY - 1);
    expect(await one.jobs.runDue()).toBe(0);
    bench.advance(1);
    const ran = await Promise.all([one.jobs.runDue(), other.jobs.runDue()]);
    expect(ran.toSorted()).toEqual([0, 1]);
    const [second] = await storedKids();
    expect(second).not.toBe(first);
    expect(await kidOf(one)).toBe(first);
    bench.advance(DAY);
    expect(await kidOf(one)).toBe(second);
    expect(await dueAt()).toEqual([new Date(new Date(START).getTime() + (90 + 89) * DAY)]);
    bench.advance(89 * DAY);
    expect(await one.jobs.runDue()).toBe(1);
    expect(await storedKids()).toHaveLength(3);
  });

  test('that comes too early, because somebody rotated meanwhile, only plans the next time', async () => {
    await kidOf(one);
    bench.advance(80 * DAY);
    const { activeFrom } = await rotate(false);
    bench.advance(9 * DAY);
    expect(await one.jobs.runDue()).toBe(1);
    expect(await storedKids()).toHaveLength(2);
    expect(await dueAt()).toEqual([new Date(activeFrom.getTime() + 89 * DAY)]);
  });

  test('that runs twice makes one successor', async () => {
    await kidOf(one);
    bench.advance(100 * DAY);
    await one.jobs.runDue();
    await bench.log.query('update jobs set run_at = $2 where org_id = $1', [orgId, bench.clock.now()]);
    await one.jobs.runDue();
    expect(await storedKids()).toHaveLength(2);
  });
});

describe('a key that was removed', () => {
  test('is refused within a second, and the next one is made', async () => {
    const { token } = await one.mint();
    expect(await isAccepted(one, token)).toBe(true);
    const [kid] = await storedKids();
    await bench.log.query('delete from signing_keys where org_id = $1', [orgId]);
    bench.advance(SECOND);
    expect(await isAccepted(one, token)).toBe(false);
    expect(await publishedBy(one)).not.toContain(kid);
    expect(await kidOf(one)).not.toBe(kid);
  });
});

describe('with another master key', () => {
  test('nothing is signed, and what was signed before is accepted', async () => {
    const { token } = await one.mint();
    const wrong = bench.process(orgId, masterKeyOf(Buffer.alloc(32, 8)));
    await expect(wrong.mint()).rejects.toThrow(SealError);
    await expect(wrong.mint()).rejects.toThrow('Sealed with key');
    expect(await isAccepted(wrong, token)).toBe(true);
    expect(await storedKids()).toHaveLength(1);
  });

  test('nothing is signed by a key that was put into another row', async () => {
    const otherOrg = await bench.log.newOrg();
    await one.signingKeys.signer(orgId);
    await one.signingKeys.signer(otherOrg);
    await bench.log.query(
      `update signing_keys k set sealed_key = o.sealed_key from signing_keys o
       where k.org_id = $1 and o.org_id = $2`,
      [orgId, otherOrg],
    );
    await expect(bench.process(orgId).mint()).rejects.toThrow(SealError);
  });
});

test('the sweep removes expired keys and spent revocations, nothing else', async () => {
  const first = await kidOf(one);
  const { kid: second } = await rotate(true);
  const insert = 'insert into revoked_tokens (org_id, jti_hash, expires_at) values ($1, $2, $3)';
  const instant = bench.clock.now().getTime();
  await bench.log.query(insert, [orgId, Buffer.alloc(32, 1), new Date(instant)]);
  await bench.log.query(insert, [orgId, Buffer.alloc(32, 2), new Date(instant + DAY)]);
  expect(await storedKids()).toEqual([second, first]);
  await dropSpentTokens(database.db, new Date(instant));
  expect(await storedKids()).toEqual([second, first]);
  await dropSpentTokens(database.db, new Date(instant + 3 * HOUR));
  expect(await storedKids()).toEqual([second]);
  const left = await bench.log.query<{ jti_hash: Buffer }>('select jti_hash from revoked_tokens where org_id = $1', [
    orgId,
  ]);
  expect(left.map(({ jti_hash }) => jti_hash)).toEqual([Buffer.alloc(32, 2)]);
});

test('operators see the state of each key, newest first', async () => {
  expect(await listed()).toEqual([]);
  expect(await publishedOrgKeys(database.db, bench.contextOf(orgId))).toEqual([]);
  const first = await kidOf(one);
  expect(await listed()).toEqual([[first, 'signing']]);
  const { activeFrom, kid: second } = await rotate(false);
  expect(await listed()).toEqual([
    [second, 'waiting'],
    [first, 'signing'],
  ]);
  bench.clock.set(activeFrom.toISOString());
  expect(await listed()).toEqual([
    [second, 'signing'],
    [first, 'former'],
  ]);
  const published = await publishedOrgKeys(database.db, bench.contextOf(orgId));
  expect(published.map(({ kid }) => kid)).toEqual([second, first]);
  bench.clock.set(new Date(activeFrom.getTime() + DAY).toISOString());
  expect((await listed()).at(-1)).toEqual([first, 'expired']);
});
