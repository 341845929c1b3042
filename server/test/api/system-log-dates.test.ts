import { beforeAll, describe, expect, test } from 'vitest';
import { insertOutbox } from '../../src/system-log/outbox/outbox-store.ts';
import { beforeTests } from '../support/before-tests.ts';
import type { TestResponse } from '../support/client.ts';
import type { TestOrg } from '../support/service.ts';
import { created, LogBench, requestContext } from '../support/system-log.ts';
import { useService } from '../support/use-service.ts';

const { service } = useService();

const DAY_MILLISECONDS = 86_400_000;
const daysAgo = (days: number): Date => new Date(service.clock.now().getTime() - days * DAY_MILLISECONDS);

const ask = (parameters: Readonly<Record<string, string>>, from: TestOrg): Promise<TestResponse> =>
  from.admin.get(`/api/v1/logs?${new URLSearchParams(parameters).toString().replaceAll('+', '%20')}`);

describe('dates as collectors send them', () => {
  const bench = beforeTests(() => new LogBench(service.database.pool));
  const dated = beforeTests(() => service.newOrg());
  const at = daysAgoAtStart(2);

  /** Returns a whole second, because some date formats in this file have no fractions of seconds. */
  function daysAgoAtStart(days: number): Date {
    return new Date(Math.floor(Date.now() / 1_000) * 1_000 - days * DAY_MILLISECONDS);
  }

  beforeAll(async () => {
    const publish = async (instant: Date, id: string) => {
      const rows = [bench.makeRow(requestContext(dated.id, instant), created(id))];
      const { text, values } = insertOutbox(rows);
      await service.database.pool.query(text, [...values]);
    };
    await publish(daysAgo(100), '00uoutside0000000001');
    await publish(new Date(at.getTime() - 1), '00ubefore00000000001');
    await publish(at, '00uat000000000000001');
    await publish(new Date(at.getTime() + 1_000), '00uafter000000000001');
    await service.drained();
  });

  const idsOf = (response: TestResponse): string[] =>
    (response.body as { target: { id: string }[] | null }[]).flatMap((event) => {
      const id = event.target?.[0]?.id ?? '';
      return /^00u(outside|before|at|after)0/.test(id) ? [id.slice(3).replace(/0+1$/, '')] : [];
    });

  const plain = at.toISOString().slice(0, 19);
  const inTwoHours = new Date(at.getTime() + 7_200_000).toISOString().slice(0, 19);
  const SINCE = [
    `${plain}.000Z`,
    `${plain}Z`,
    `${plain}.000000Z`,
    `${plain}.000000`,
    plain,
    `${plain}+00:00`,
    `${plain}.000000+00:00`,
    `${plain}-00:00`,
    `${inTwoHours}+02:00`,
    `${plain.replace('T', 't')}z`,
    `${plain}.000000000Z`,
  ];

  test.each(SINCE)('since=%s: inclusive, UTC where no zone is named', async (since) => {
    expect(idsOf(await ask({ since }, dated))).toEqual(['at', 'after']);
    expect(idsOf(await ask({ since, sortOrder: 'DESCENDING' }, dated))).toEqual(['after', 'at']);
  });

  test('+00:00 is percent-encoded by who knows, and a blank where it is not', async () => {
    const encoded = await dated.admin.get(`/api/v1/logs?since=${plain}%2B00:00`);
    expect(idsOf(encoded)).toEqual(['at', 'after']);
    const bare = await dated.admin.get(`/api/v1/logs?since=${plain}+00:00`);
    expect([200, 400]).toContain(bare.status);
    if (bare.status === 200) expect(idsOf(bare)).toEqual(['at', 'after']);
    else expect(bare.body).toMatchObject({ errorCode: 'E0000001' });
  });

  const UNTIL = SINCE.filter((text) => /(Z|z|[+-]\d\d:\d\d)$/.test(text));
  test.each(UNTIL)('until=%s: exclusive', async (until) => {
    const since = daysAgo(3).toISOString();
    expect(idsOf(await ask({ since, until }, dated))).toEqual(['before']);
  });

  test.each(SINCE.filter((text) => !UNTIL.includes(text)))('until=%s is refused: it names no zone', async (until) => {
    expect(await ask({ until }, dated)).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
  });

  test('since more than 90 days ago answers with what lies inside the window', async () => {
    const since = daysAgo(170).toISOString();
    expect(idsOf(await ask({ since }, dated))).toEqual(['before', 'at', 'after']);
    expect(idsOf(await ask({ since, until: daysAgo(0).toISOString() }, dated))).toEqual(['before', 'at', 'after']);
    expect(idsOf(await ask({ since, until: daysAgo(95).toISOString() }, dated))).toEqual([]);
    expect(idsOf(await ask({ since, q: '00uoutside0000000001' }, dated))).toEqual([]);
  });

  test('until before since is an empty page that ends', async () => {
    const response = await ask({ since: at.toISOString(), until: daysAgo(5).toISOString() }, dated);
    expect(response).toMatchObject({ status: 200, body: [] });
    expect(String(response.headers['link'])).not.toContain('rel="next"');
  });
});
