import { describe, expect, test } from 'vitest';
import { createGroup, GROUPS, groupPath } from '../support/groups.ts';
import { changeAttributes, defineAttributes, GROUP_SCHEMA, newUserType, USER_TYPES } from '../support/schemas.ts';
import { newProfile, type TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { searchPath, userPath } from '../support/users.ts';

const { service, org } = useService();

const text = { title: 'T', type: 'string' };

interface Held {
  /** Puts the clean-up job back in the queue and waits until it has finished. */
  readonly goOn: () => Promise<void>;
}

/** Removes an attribute while a row with a value for it is locked. The clean-up job waits until `goOn` is called. */
async function removeWhileHeld(own: TestOrg, table: 'users' | 'groups', id: string, url?: string): Promise<Held> {
  const { pool } = service.database;
  const holder = await pool.connect();
  try {
    await holder.query('begin');
    await holder.query(`select from ${table} where org_id = $1 and id = $2 for update`, [own.id, id]);
    await defineAttributes(own, { gone: null }, url);
    // Takes the clean-up job out of the queue.
    const take = async () => {
      const { rows } = await pool.query<{ payload: object; waits: boolean }>(
        `with taken as (select * from jobs where org_id = $1 and kind = 'purgeAttribute' and lease_until is null
           for update skip locked)
         delete from jobs j using taken t where j.org_id = $1 and j.id = t.id returning t.payload`,
        [own.id],
      );
      return rows[0]?.payload;
    };
    let payload: object | undefined;
    await expect.poll(async () => (payload = await take())).toBeDefined();
    const goOn = async (): Promise<void> => {
      await pool.query(
        `insert into jobs (org_id, kind, payload, run_at) values ($1, 'purgeAttribute', $2, now() - interval '1 day')`,
        [own.id, JSON.stringify(payload)],
      );
      const left = async (): Promise<number> =>
        (await pool.query(`select from jobs where org_id = $1 and kind = 'purgeAttribute'`, [own.id])).rows.length;
      await expect.poll(left).toBe(0);
    };
    return { goOn };
  } finally {
    await holder.query('rollback');
    holder.release();
  }
}

const rowsOf = async (own: TestOrg, table: 'user' | 'group', id: string): Promise<number[]> => {
  const { rows } = await service.database.pool.query<{ number: number }>(
    `select attribute_id as number from ${table}_attribute_values
     where org_id = $1 and ${table}_id = $2 and attribute_id >= 10000 order by 1`,
    [own.id, id],
  );
  return rows.map(({ number }) => number);
};
const createOf = async (own: TestOrg, typeId: string, given: Readonly<Record<string, unknown>>) => {
  const made = await own.admin.post('/api/v1/users', { body: { profile: newProfile(given), type: { id: typeId } } });
  if (made.status !== 200) throw new Error(made.text);
  return made.body;
};
const found = async (own: TestOrg, search: string): Promise<string[]> =>
  (await own.admin.get(searchPath(search))).body.map((user: { id: string }) => user.id);

describe('a row that is written while an attribute leaves it', () => {
  test('of a user: nothing stays in the index; the number is free for another attribute', async () => {
    await defineAttributes(org, { gone: text });
    const user = await org.createUser({ profile: { gone: 'x' } });
    const { goOn } = await removeWhileHeld(org, 'users', user.id);
    const written = await org.admin.post(userPath(user.id), { body: { profile: { city: 'Bern' } } });
    expect(written.body.profile).not.toHaveProperty('gone');
    await goOn();
    expect(await rowsOf(org, 'user', user.id)).toEqual([]);
    await defineAttributes(org, { next: { ...text, unique: true } });
    expect(await found(org, 'profile.next eq "x"')).toEqual([]);
    expect(await org.createUser({ profile: { next: 'y' } })).toMatchObject({ profile: { next: 'y' } });
    expect(await org.admin.post(userPath(user.id), { body: { profile: { next: 'x' } } })).toMatchObject({
      status: 200,
    });
    expect(await found(org, 'profile.next eq "x"')).toEqual([user.id]);
    expect(await rowsOf(org, 'user', user.id)).toEqual([10_000]);
  });

  test('of a group', async () => {
    await defineAttributes(org, { gone: text }, GROUP_SCHEMA);
    const { id } = await createGroup(org, { name: 'One', gone: 'x' });
    const { goOn } = await removeWhileHeld(org, 'groups', id, GROUP_SCHEMA);
    const put = (profile: object) => org.admin.put(groupPath(id), { body: { profile: { name: 'One', ...profile } } });
    expect(await put({})).toMatchObject({ status: 200 });
    await goOn();
    expect(await rowsOf(org, 'group', id)).toEqual([]);
    await defineAttributes(org, { next: text }, GROUP_SCHEMA);
    expect((await org.admin.get(`${GROUPS}?search=${encodeURIComponent('profile.next pr')}`)).body).toEqual([]);
    expect(await put({ next: 'x' })).toMatchObject({ status: 200 });
  });

  test('users of another type, which has the attribute too, keep theirs; so does who goes there', async () => {
    const own = await service.newOrg();
    const type = await newUserType(own, 'other');
    await defineAttributes(own, { gone: text });
    await defineAttributes(own, { gone: text }, type.schemaUrl);
    const there = await createOf(own, type.id, { gone: 'there' });
    const leaving = await own.createUser({ profile: { gone: 'x' } });
    const { goOn } = await removeWhileHeld(own, 'users', leaving.id);
    await goOn();
    expect(await found(own, 'profile.gone eq "there"')).toEqual([there.id]);
    expect(await rowsOf(own, 'user', leaving.id)).toEqual([]);
    const body = { type: { id: type.id }, profile: leaving.profile };
    expect(await own.admin.put(userPath(leaving.id), { body })).toMatchObject({ status: 200 });
    expect(await found(own, 'profile.gone eq "x"')).toEqual([leaving.id]);
  });

  test('of a type that is deleted meanwhile: what the job finds of others under its number stays', async () => {
    const own = await service.newOrg();
    const type = await newUserType(own, 'brief');
    await defineAttributes(own, { gone: text }, type.schemaUrl);
    const user = await createOf(own, type.id, { gone: 'x' });
    const { goOn } = await removeWhileHeld(own, 'users', user.id, type.schemaUrl);
    const standard = (await own.admin.get(USER_TYPES)).body.find((one: { default: boolean }) => one.default).id;
    const { gone: _, ...profile } = user.profile;
    const moved = await own.admin.put(userPath(user.id), { body: { type: { id: standard }, profile } });
    expect(moved).toMatchObject({ status: 200 });
    expect(await own.admin.del(`${USER_TYPES}/${type.id}`)).toMatchObject({ status: 204 });
    expect(await rowsOf(own, 'user', user.id)).toEqual([]);
    expect(await changeAttributes(own, { next: text })).toMatchObject({ status: 200 });
    const next = await own.admin.post(userPath(user.id), { body: { profile: { next: 'x' } } });
    expect(next).toMatchObject({ status: 200 });
    await goOn();
    expect(await found(own, 'profile.next eq "x"')).toEqual([user.id]);
  });
});

describe('a clean-up that comes late', () => {
  test.each([
    ['users', undefined],
    ['groups', GROUP_SCHEMA],
  ] as const)('leaves the values of a new attribute of the same name: %s', async (table, schema) => {
    await defineAttributes(org, { gone: text }, schema);
    const holder =
      table === 'users'
        ? await org.createUser({ profile: { gone: 'x' } })
        : await createGroup(org, { name: 'Late', gone: 'x' });
    const { goOn } = await removeWhileHeld(org, table, holder.id, schema);
    await goOn();
    await defineAttributes(org, { gone: text }, schema);
    const path = table === 'users' ? userPath(holder.id) : groupPath(holder.id);
    const profile = { ...(table === 'groups' ? { name: 'Late' } : {}), gone: 'new' };
    const send = table === 'users' ? org.admin.post : org.admin.put;
    expect(await send(path, { body: { profile } })).toMatchObject({ status: 200 });
    await goOn();
    expect((await org.admin.get(path)).body.profile.gone).toBe('new');
    await defineAttributes(org, { gone: null }, schema);
  });
});
