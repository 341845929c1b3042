import { beforeAll, describe, expect, test } from 'vitest';
import { type Ask, countSealedOtherwise, rekey, SEALED_TABLES } from '../../src/directory-transfer/index.ts';
import { masterKeyOf, withPrevious } from '../../src/platform/crypto/index.ts';
import { createApp, serviceApp, webApp } from '../support/apps.ts';
import { step } from '../support/authn.ts';
import { enroll } from '../support/factors.ts';
import { newOidcProvider } from '../support/identity-providers.ts';
import { createStream, newSplunkStream } from '../support/log-streams.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

// When the master key changes, sealed data is sealed again with the new key (docs/review-findings.md, security 19).

const OLD = masterKeyOf(Buffer.alloc(32, 7));
const NEW = withPrevious(masterKeyOf(Buffer.alloc(32, 8)), OLD);

const { service } = useService();

beforeAll(async () => {
  await fill(service.org);
  await fill(await service.newOrg());
  await service.drained();
});

async function fill(org: TestOrg): Promise<void> {
  const user = await org.createUser();
  await step(org.anonymous, '/recovery/password', { username: user.profile.login, factorType: 'EMAIL' });
  const app = await createApp(org, webApp());
  await createApp(org, serviceApp());
  await org.admin.post(`/api/v1/apps/${app.id}/credentials/keys/generate?validityYears=2`);
  await createStream(org, newSplunkStream());
  await org.admin.post('/api/v1/idps', { body: newOidcProvider() });
  await org.anonymous.get('/oauth2/v1/keys');
  await enroll(org.admin, user.id);
}

/** After `limit` statements, `ask` throws as if the process had been killed. */
async function onConnection<Result>(
  use: (ask: Ask, pid: () => Promise<number>) => Promise<Result>,
  limit = Number.POSITIVE_INFINITY,
) {
  const client = await service.database.pool.connect();
  let asked = 0;
  const ask: Ask = async <Row>(text: string, values: readonly unknown[]) => {
    asked += 1;
    if (asked > limit) throw new Error('killed');
    return (await client.query(text, [...values])).rows as readonly Row[];
  };
  try {
    return await use(ask, async () => (await client.query('select pg_backend_pid() as pid')).rows[0].pid as number);
  } finally {
    // The connection is closed instead of being reused, so that the locks of a killed run are released.
    client.release(true);
  }
}

const run = (limit?: number) =>
  onConnection((ask) => rekey({ ask, masterKey: NEW, previous: OLD, batchRows: 2 }), limit);
const left = () => onConnection((ask) => countSealedOtherwise(ask, NEW));
const factOf = async (): Promise<string | undefined> =>
  (await service.database.pool.query(`select value from installation where name = 'master_key_check'`)).rows[0]?.value;

async function sealedWithOld(): Promise<string[]> {
  const { pool } = service.database;
  const { rows } = await pool.query<{ table: string; column: string }>(
    `select c.relname as table, a.attname as column from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and a.atttypid = 'bytea'::regtype and not a.attisdropped`,
  );
  const found: string[] = [];
  for (const { column, table } of rows) {
    const text = `select 1 from ${table} where encode(substring(${column} from 2 for 8), 'hex') = $1 limit 1`;
    if ((await pool.query(text, [OLD.id])).rowCount !== 0) found.push(`${table}.${column}`);
  }
  return found.toSorted();
}

test('every value is where the list of sealed columns says', async () => {
  const known = SEALED_TABLES.map(({ column, table }) => `${table}.${column}`);
  const found = await sealedWithOld();
  expect(known).toEqual(expect.arrayContaining(found));
  expect(found).toEqual(
    expect.arrayContaining([
      'app_secrets.sealed_secret',
      'app_signing_keys.sealed_key',
      'identity_providers.sealed_secret',
      'log_streams.sealed_secret',
      'mail_outbox.sealed_body',
      'signing_keys.sealed_key',
      'user_factors.sealed_secret',
    ]),
  );
});

describe('the change of the master key', () => {
  test('a run that is killed has done some, and the installation is still of the old key', async () => {
    await service.database.pool.query(
      `insert into installation (name, value) values ('master_key_check', $1)
       on conflict (name) do update set value = excluded.value`,
      [OLD.checkValue],
    );
    const before = await left();
    expect(before.previous).toBeGreaterThan(10);
    await expect(run(25)).rejects.toThrow('killed');
    const after = await left();
    expect(after.previous).toBeLessThan(before.previous);
    expect(after.previous).toBeGreaterThan(0);
    expect(await factOf()).toBe(OLD.checkValue);
  });

  test('two at once: the second one says so and does nothing', async () => {
    await onConnection(async (holding) => {
      await holding(`select pg_advisory_lock(hashtextextended('rekey', 0))`, []);
      await expect(run()).rejects.toThrow('Another `gatehouse keys rekey` is running.');
    });
    expect((await left()).previous).toBeGreaterThan(0);
  });

  test('what somebody has changed is told, and the old key has to stay', async () => {
    const { pool } = service.database;
    const flipped = `update signing_keys
      set sealed_key = set_byte(sealed_key, 30, get_byte(sealed_key, 30) # 1)
      where (org_id, kid) = (select org_id, kid from signing_keys
        where encode(substring(sealed_key from 2 for 8), 'hex') = $1 order by org_id limit 1)
      returning org_id, kid`;
    const changed = await pool.query(flipped, [OLD.id]);
    const [{ kid }] = changed.rows;
    expect(await run()).toMatchObject({ previous: 1, unknown: 0, damaged: [`signing_keys.sealed_key of ${kid}`] });
    expect(await factOf()).toBe(OLD.checkValue);
    const back =
      'update signing_keys set sealed_key = set_byte(sealed_key, 30, get_byte(sealed_key, 30) # 1) where kid = $1';
    await pool.query(back, [kid]);
  });

  test('goes on where it was, and ends when nothing is left in any column of bytes', async () => {
    expect(await run()).toEqual({ resealed: 1, previous: 0, unknown: 0, damaged: [] });
    expect(await sealedWithOld()).toEqual([]);
    expect(await left()).toEqual({ previous: 0, unknown: 0 });
    expect(await factOf()).toBe(NEW.checkValue);
  });

  test('again, it finds nothing to do', async () => {
    expect(await run()).toEqual({ resealed: 0, previous: 0, unknown: 0, damaged: [] });
  });

  test('with another old key too, and what neither has sealed is told', async () => {
    const third = withPrevious(masterKeyOf(Buffer.alloc(32, 9)), masterKeyOf(Buffer.alloc(32, 10)));
    const { unknown, ...rest } = await onConnection((ask) =>
      rekey({ ask, masterKey: third, previous: masterKeyOf(Buffer.alloc(32, 10)) }),
    );
    expect(rest).toEqual({ resealed: 0, previous: 0, damaged: [] });
    expect(unknown).toBeGreaterThan(10);
    expect(await factOf()).toBe(NEW.checkValue);
  });
});
