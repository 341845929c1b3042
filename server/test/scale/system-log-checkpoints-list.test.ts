import { describe, expect, test } from 'vitest';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { linksOf } from '../support/users.ts';

const URL = '/api/v1/logs/checkpoints';

const { service, org } = useService();

async function listed(of: TestOrg): Promise<{ readonly position: number }[]> {
  const { body, status } = await of.admin.get(URL);
  expect(status).toBe(200);
  return body;
}

describe('GET /api/v1/logs/checkpoints', () => {
  async function give(of: TestOrg, count: number): Promise<void> {
    for (let position = 1_000_001; position <= 1_000_000 + count; position += 1) {
      await service.database.pool.query(
        `insert into log_checkpoints (org_id, position, hash, created_at, signed) values ($1, $2, sha256($3), $4, 'x')`,
        [of.id, position, Buffer.from(String(position)), service.clock.now()],
      );
    }
  }

  test('pages, the newest first, both ways', async () => {
    const own = await service.newOrg();
    await give(own, 5);
    const positions = (body: readonly { readonly position: number }[]) =>
      body.map(({ position }) => position - 1_000_000);
    const first = await own.admin.get(`${URL}?limit=2`);
    expect(positions(first.body)).toEqual([5, 4]);
    const second = await own.admin.get(linksOf(first)['next'] ?? '');
    expect(positions(second.body)).toEqual([3, 2]);
    const third = await own.admin.get(linksOf(second)['next'] ?? '');
    expect(positions(third.body)).toEqual([1]);
    expect(linksOf(third)).not.toHaveProperty('next');
    const back = await own.admin.get(linksOf(third)['prev'] ?? '');
    expect(positions(back.body)).toEqual([3, 2]);
  });

  test('shows nothing of another org', async () => {
    const [own, other] = [await service.newOrg(), await service.newOrg()];
    await give(other, 2);
    expect(await listed(own)).toEqual([]);
    const next = (await other.admin.get(`${URL}?limit=1`)).headers['link'];
    const cursor = /after=([^&>]+)[^>]*>; rel="next"/.exec([next].flat().join(','))?.[1] ?? '';
    expect(cursor).not.toBe('');
    expect(await own.admin.get(`${URL}?after=${cursor}`)).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000001' },
    });
  });

  test.each([
    ['limit=0', 'E0000001'],
    ['limit=ten', 'E0000037'],
    ['after=nonsense', 'E0000001'],
    ['limit=1&limit=2', 'E0000001'],
  ])('refuses %s', async (query, errorCode) => {
    expect(await org.admin.get(`${URL}?${query}`)).toMatchObject({ status: 400, body: { errorCode } });
  });

  test('is for those alone who may read the log', async () => {
    expect((await org.anonymous.get(URL)).status).toBe(401);
    expect((await (await org.withRoles()).get(URL)).status).toBe(403);
    expect((await (await org.withRoles('READ_ONLY_ADMIN')).get(URL)).status).toBe(200);
    expect((await org.admin.post(URL, { body: {} })).status).toBe(405);
  });
});
