import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import {
  CHECKPOINT_TYPE,
  type LogSigner,
  makeCheckpoints,
  readCheckpointFile,
  signAnchor,
  statementKeys,
  verifyOrg,
} from '../../src/system-log/index.ts';
import { signCheckpoint } from '../../src/system-log/proof/statements.ts';
import { beforeTests } from '../support/before-tests.ts';
import { openTestDatabase } from '../support/database.ts';
import { compactJws, newProofKey, type ProofKey, proofSigner } from '../support/log-proof.ts';
import { created, LogBench } from '../support/system-log.ts';

// This file tests verification by anchors and by checkpoints, against an attacker who controls the database.
const database = beforeTests(() => openTestDatabase());
const bench = beforeTests(() => new LogBench(database.pool));
let key: ProofKey;
let sign: LogSigner;
let orgId: OrgId;

beforeAll(async () => {
  key = await newProofKey();
});

beforeEach(async () => {
  orgId = await bench.newOrg();
  sign = proofSigner(database.db, key);
  await bench.write(
    orgId,
    ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => created(id)),
  );
  await bench.drainAll();
});

const keysOf = (...keys: readonly ProofKey[]) =>
  statementKeys(keys.map(({ kid, publicJwk }) => ({ ...publicJwk, kid, use: 'sig' })));

const verify = (options: Parameters<typeof verifyOrg>[2] = {}) =>
  verifyOrg(bench.connections, orgId, { batchSize: 2, ...options });

async function placeAt(position: number): Promise<{ position: number; hash: Buffer }> {
  const [row] = await bench.query<{ hash: Buffer }>('select hash from log_fresh where org_id = $1 and position = $2', [
    orgId,
    position,
  ]);
  return { position, hash: row?.hash ?? Buffer.alloc(32) };
}

const checkpointAt = async (position: number, by = sign) =>
  signCheckpoint(by, orgId, await placeAt(position), null, bench.clock.now());

async function cutBehind(position: number): Promise<void> {
  await bench.query('delete from log_fresh where org_id = $1 and position > $2', [orgId, position]);
  await bench.query(
    `update log_heads set position = $2, hash = (select hash from log_fresh where org_id = $1 and position = $2)
     where org_id = $1`,
    [orgId, position],
  );
}

describe('a file of checkpoints', () => {
  const read = (text: string, keys = keysOf(key)) => readCheckpointFile(text, 'kept.json', keys, orgId);

  test('as the API gives it, one a line, or a single one: all are met', async () => {
    const [second, fifth] = [await checkpointAt(2), await checkpointAt(5)];
    const wire = JSON.stringify([{ position: 5, hash: 'x', created: 'x', jws: fifth }, { jws: second }]);
    for (const text of [wire, `${fifth}\n${second}\n`, `\n${second}\r\n${fifth}`]) {
      const checkpoints = read(text);
      expect(checkpoints.map(({ position }) => position).toSorted()).toEqual([2, 5]);
      expect(await verify({ checkpoints })).toMatchObject({ ok: true, verified: 6, checkpoints: 2 });
    }
    expect(read(JSON.stringify({ jws: second }))).toHaveLength(1);
  });

  test('tells that the tail was cut, and where', async () => {
    const checkpoints = read([await checkpointAt(3), await checkpointAt(6)].join('\n'));
    await cutBehind(4);
    expect(await verify()).toMatchObject({ ok: true, verified: 4 });
    const report = await verify({ checkpoints });
    expect(report).toMatchObject({ ok: false, checkpoints: 1, fault: { position: 5, kind: 'cut', uuid: null } });
    expect(report.fault?.detail).toBe('the log ends at 4, and the checkpoint kept.json:2 is at 6');
  });

  test('tells of a fork at the first checkpoint behind it', async () => {
    const checkpoints = read([await checkpointAt(2), await checkpointAt(4), await checkpointAt(6)].join('\n'));
    await cutBehind(3);
    await bench.write(
      orgId,
      ['x', 'y', 'z'].map((id) => created(id)),
    );
    await bench.drainAll();
    expect(await verify()).toMatchObject({ ok: true, verified: 6 });
    expect(await verify({ checkpoints })).toMatchObject({
      ok: false,
      verified: 3,
      fault: { position: 4, kind: 'forked', detail: 'the checkpoint kept.json:2 names another event' },
    });
  });

  test('with a forged signature is refused, and so is one by a key that is not among the keys', async () => {
    const jws = await checkpointAt(3);
    const [header = '', , signature = ''] = jws.split('.');
    const claims = { org: orgId, iss: orgId, iat: 1, position: 3, hash: Buffer.alloc(32, 1).toString('base64url') };
    const forged = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`;
    expect(() => read(`${jws}\n${forged}`)).toThrow('kept.json:2 has a signature that does not hold');
    const stranger = await newProofKey();
    const typ = CHECKPOINT_TYPE;
    const byStranger = compactJws({ alg: 'RS256', kid: key.kid, typ }, claims, stranger.privateKey);
    expect(() => read(byStranger)).toThrow('does not hold');
    expect(() => read(jws, keysOf(stranger))).toThrow(`signed with the key ${key.kid}, which is not among the keys`);
  });

  test.each([
    ['another algorithm', { alg: 'none' }, {}],
    ['a symmetric one', { alg: 'HS256' }, {}],
    ['another type', { typ: 'gatehouse-log-anchor+jwt' }, {}],
    ['no type, as an access token', { typ: undefined }, {}],
    ['a header that must be understood', { crit: ['exp'] }, {}],
    ['an issuer that is not the org', {}, { iss: '00oother' }],
    ['no position', {}, { position: undefined }],
    ['a position that is none', {}, { position: -1 }],
    ['a short hash', {}, { hash: 'AAAA' }],
    ['no instant', {}, { iat: undefined }],
  ])('with %s is refused', async (_, header, claims) => {
    const { hash } = await placeAt(3);
    const good = { org: orgId, iss: orgId, iat: 1, position: 3, hash: hash.toString('base64url') };
    const head = { alg: 'RS256', kid: key.kid, typ: CHECKPOINT_TYPE };
    expect(read(compactJws(head, good, key.privateKey))).toHaveLength(1);
    expect(() => read(compactJws({ ...head, ...header }, { ...good, ...claims }, key.privateKey))).toThrow(
      'kept.json:1',
    );
  });

  test.each([[''], ['[]'], ['[1]'], ['{"position":1}'], ['[{"jws":7}]'], ['a.b'], ['a.b.c.d'], ['[{'], ['....']])(
    '%j is no file of checkpoints',
    (text) => expect(() => read(text)).toThrow('kept.json'),
  );

  test('of another org is refused', async () => {
    const own = orgId;
    orgId = await bench.newOrg();
    await bench.write(orgId, [created('a'), created('b')]);
    await bench.drainAll();
    const foreign = await checkpointAt(1);
    orgId = own;
    expect(() => read(foreign)).toThrow('kept.json:1 is about the log of another org');
  });
});

describe('keys', () => {
  test('of before a rotation hold as long as they are known', async () => {
    const old = await checkpointAt(2);
    const next = await newProofKey();
    const young = await checkpointAt(5, proofSigner(database.db, next));
    expect(readCheckpointFile(`${old}\n${young}`, 'f', keysOf(key, next), orgId)).toHaveLength(2);
    const rows = await bench.query<{ kid: string }>('select kid from log_keys where org_id = $1', [orgId]);
    expect(rows.map(({ kid }) => kid).toSorted()).toEqual([key.kid, next.kid].toSorted());
  });
});

describe("the log's own checkpoints", () => {
  const later = () => ({ now: () => new Date(Date.now() + 3_600_000) });
  const checkpoint = () => makeCheckpoints({ db: database.db, clock: later(), logSigner: sign });

  test('are met, and tell of a cut tail to whoever left them there', async () => {
    await checkpoint();
    expect(await verify()).toMatchObject({ ok: true, checkpoints: 1 });
    await cutBehind(4);
    expect(await verify()).toMatchObject({ ok: false, fault: { position: 5, kind: 'cut' } });
  });

  test.each([
    ['another signature', `signed = left(signed, -6) || 'AAAAAA'`],
    ['another hash beside it', 'hash = sha256(hash)'],
    ['the statement of another position', 'position = 4'],
    ['no statement', `signed = ''`],
  ])('with %s are told as forged', async (_, change) => {
    await checkpoint();
    await bench.query(`update log_checkpoints set ${change} where org_id = $1`, [orgId]);
    expect(await verify()).toMatchObject({ ok: false, fault: { kind: 'forged' } });
  });

  test('signed by a key that is not among those kept elsewhere prove nothing, and harm nothing', async () => {
    await checkpoint();
    const other = await newProofKey();
    expect(await verify({ keys: keysOf(other) })).toMatchObject({ ok: true, checkpoints: 0 });
    expect(await verify({ keys: keysOf(key) })).toMatchObject({ ok: true, checkpoints: 1 });
  });

  test('signed anew by whoever owns the database fall by the keys kept elsewhere', async () => {
    const thief = await newProofKey();
    await bench.query('delete from log_keys where org_id = $1', [orgId]);
    await makeCheckpoints({ db: database.db, clock: later(), logSigner: proofSigner(database.db, thief) });
    expect(await verify()).toMatchObject({ ok: true, checkpoints: 1 });
    expect(await verify({ keys: keysOf(key) })).toMatchObject({ ok: true, checkpoints: 0 });
    const [{ signed } = { signed: '' }] = await bench.query<{ signed: string }>(
      'select signed from log_checkpoints where org_id = $1',
      [orgId],
    );
    expect(() => readCheckpointFile(signed, 'f', keysOf(key), orgId)).toThrow('not among the keys');
  });
});

describe('behind an anchor', () => {
  async function leave(position: number, by = sign): Promise<void> {
    const place = await placeAt(position);
    const signed = await signAnchor(by, orgId, place, bench.clock.now());
    await bench.query(
      'insert into log_anchors (org_id, position, hash, signed, created_at) values ($1, $2, $3, $4, now())',
      [orgId, position, place.hash, signed],
    );
    await bench.query('delete from log_fresh where org_id = $1 and position <= $2', [orgId, position]);
  }

  test('the chain goes on', async () => {
    const before = { ...(await placeAt(2)), source: 'old' };
    const at = { ...(await placeAt(4)), source: 'exact' };
    await leave(4);
    expect(await verify()).toMatchObject({ ok: true, start: 4, verified: 2 });
    expect(await verify({ checkpoints: [before, at] })).toMatchObject({ ok: true, start: 4, checkpoints: 1 });
    const forked = { position: 4, hash: Buffer.alloc(32, 1), source: 'forked' };
    expect(await verify({ checkpoints: [forked] })).toMatchObject({
      ok: false,
      fault: { position: 4, kind: 'forked' },
    });
    expect(await verify({ keys: keysOf(key) })).toMatchObject({ ok: true, start: 4, verified: 2 });
  });

  test.each([
    ['whose signature was altered', `signed = left(signed, -6) || 'AAAAAA'`],
    ['whose hash was altered', 'hash = sha256(hash)'],
    ['that was moved', 'position = 5'],
    ['without a signature', `signed = ''`],
  ])('%s nothing is believed', async (_, change) => {
    await leave(4);
    await bench.query(`update log_anchors set ${change} where org_id = $1`, [orgId]);
    expect(await verify()).toMatchObject({ ok: false, verified: 0, fault: { kind: 'forged' } });
  });

  test('a checkpoint put into its place is none', async () => {
    await leave(4);
    const place = await placeAt(5);
    const signed = await signCheckpoint(sign, orgId, place, null, bench.clock.now());
    await bench.query('update log_anchors set position = $2, hash = $3, signed = $4 where org_id = $1', [
      orgId,
      place.position,
      place.hash,
      signed,
    ]);
    expect(await verify()).toMatchObject({ ok: false, fault: { position: 5, kind: 'forged' } });
  });

  test('by a key that is not among those kept elsewhere nothing is believed', async () => {
    await leave(4, proofSigner(database.db, await newProofKey()));
    expect(await verify()).toMatchObject({ ok: true });
    expect(await verify({ keys: keysOf(key) })).toMatchObject({ ok: false, fault: { position: 4, kind: 'forged' } });
  });

  test('made away with, the beginning is missing', async () => {
    await leave(4);
    await bench.query('delete from log_anchors where org_id = $1', [orgId]);
    expect(await verify()).toMatchObject({ ok: false, fault: { position: 1, kind: 'missing' } });
  });

  test('events that leave while the log is verified are no fault', async () => {
    let left = false;
    const report = await verify({
      onProgress: () => {
        left = true;
      },
    });
    expect({ left, ok: report.ok }).toEqual({ left: true, ok: true });
    let leaving: Promise<void> | null = null;
    const connections: typeof bench.connections = {
      withConnection: (use) =>
        bench.connections.withConnection((connection) =>
          use({
            query: async (text, values) => {
              const result = await connection.query(text, values);
              // The first four events are deleted between the first batch and the second.
              if (text.includes('bytes_before')) await (leaving ??= leave(4));
              return result;
            },
          }),
        ),
    };
    expect(await verifyOrg(connections, orgId, { batchSize: 2 })).toMatchObject({ ok: true, verified: 4 });
  });
});
