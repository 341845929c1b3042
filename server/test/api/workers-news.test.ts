import { expect, test, vi } from 'vitest';
import { seedToken } from '../support/seeds.ts';
import { useService } from '../support/use-service.ts';

// Here two services on one database pass news to each other, as the workers of one primary do.

type Heard = (news: unknown) => void;

/** Returns the two ends of a channel. News that one end tells reaches the other end later. */
function channel() {
  const heard: Heard[] = [];
  const end = (own: number) => ({
    tell: (news: unknown) => void setImmediate(() => heard[1 - own]?.(JSON.parse(JSON.stringify(news)))),
    onNews: (hear: Heard) => {
      heard[own] = hear;
    },
  });
  return [end(0), end(1)] as const;
}

const [one, other] = channel();
const { service, org } = useService({ isShared: false, otherWorkers: one });
const { service: second } = useService(() => ({
  database: service.database,
  publicPort: service.port,
  otherWorkers: other,
}));

test("a worker drops at once what another worker's change voids", async () => {
  const now = service.clock.now();
  // While the clock stands still, no cache entry expires, so only news can drop one.
  const stopped = vi.spyOn(second.clock, 'now').mockImplementation(() => now);
  const holder = await seedToken(service.application, service.clock, { ...org, orgId: org.id }, ['ORG_ADMIN']);
  const there = second.org.client({ authorization: `SSWS ${holder.token}` }, org.hostname);
  const seen = async () => (await there.get('/api/v1/org')).status;
  expect(await seen()).toBe(200);
  expect((await org.admin.post(`/api/v1/users/${holder.userId}/lifecycle/suspend`)).status).toBe(200);
  await expect.poll(seen).toBe(401);
  stopped.mockRestore();
});
