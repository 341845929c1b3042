import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { CollectorHttp, linkOf, required } from '../clients/log-collector-http.ts';
import { newProfile, type TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

// F27 (docs/faults.md): concurrent pollers, each with its own cursor and page size, die at any page and continue from
// their stored links. For a long run, set GATEHOUSE_POLLERS_USERS to a large number of users.

const POLLERS = 100;
const WRITERS = 4;
const USERS = Number(process.env['GATEHOUSE_POLLERS_USERS'] ?? '240');
const DEATHS = 0.3;
const LARGEST_PAGE = 40;
const PAUSE_MILLISECONDS = 100;

const { service } = useService({ maximumConnections: 20 });
let orgs: readonly [TestOrg, TestOrg];
let since: Date;

beforeAll(async () => {
  orgs = [service.org, await service.newOrg()];
  await service.drained();
  service.clock.advance(5);
  since = service.clock.now();
});

const httpOf = (org: TestOrg): CollectorHttp =>
  new CollectorHttp({ hostname: org.hostname, port: service.port, ca: service.ca, token: org.adminToken });

class DyingPoller {
  readonly org: TestOrg;
  readonly #http: CollectorHttp;
  readonly #limit: number;
  #stored: string;
  /** The uuids of the events on pages whose next link was stored. */
  readonly done: string[] = [];
  #undone: readonly string[] = [];
  readonly faults: string[] = [];
  pages = 0;
  deaths = 0;

  constructor(org: TestOrg, limit: number) {
    this.org = org;
    this.#http = httpOf(org);
    this.#limit = limit;
    this.#stored = `/api/v1/logs?since=${since.toISOString()}&limit=${limit}`;
  }

  /** Reads one page. Returns true if the page was empty and the poller did not die. */
  async step(mayDie: boolean): Promise<boolean> {
    const page = await this.#http.page(this.#stored);
    this.pages += 1;
    const uuids = page.events.map((event) => event.uuid);
    if (uuids.length > this.#limit) this.faults.push(`${uuids.length} events on a page of ${this.#limit}`);
    // A poller that died reads the events of its last page again, with the same uuids.
    const again = this.#undone.slice(0, uuids.length);
    if (this.done.length > 0 && again.some((uuid, place) => uuids[place] !== uuid)) this.faults.push('another page');
    if (this.#undone.some((uuid) => !uuids.includes(uuid)) && this.done.length > 0) this.faults.push('a shorter page');
    if (mayDie && Math.random() < DEATHS) {
      this.deaths += 1;
      this.#undone = uuids;
      return false;
    }
    this.#undone = [];
    this.done.push(...uuids);
    this.#stored = required(linkOf(page, 'next'));
    return uuids.length === 0;
  }

  async run(state: { readonly writing: boolean }): Promise<void> {
    await delay(Math.random() * 1_000);
    for (;;) {
      const { writing } = state;
      const nothing = await this.step(writing);
      if (!nothing) continue;
      if (!writing) break;
      await delay(Math.random() * PAUSE_MILLISECONDS);
    }
    this.#http.close();
  }
}

/** Creates users, and returns the duration in milliseconds. */
async function write(users: number): Promise<number> {
  const startedAt = performance.now();
  let left = users;
  const writer = async (org: TestOrg) => {
    while (left > 0) {
      left -= 1;
      const response = await org.admin.post('/api/v1/users', { body: { profile: newProfile() } });
      if (response.status !== 200) throw new Error(response.text);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, place) => writer(orgs[place % 2 === 0 ? 0 : 1])));
  return performance.now() - startedAt;
}

async function logOf(org: TestOrg): Promise<string[]> {
  const http = httpOf(org);
  const uuids: string[] = [];
  let url = `/api/v1/logs?since=${since.toISOString()}&limit=1000`;
  for (;;) {
    const page = await http.page(url);
    if (page.events.length === 0) break;
    uuids.push(...page.events.map((event) => event.uuid));
    url = required(linkOf(page, 'next'));
  }
  http.close();
  return uuids;
}

test('100 pollers that die at any page: no gap, and no repeat but of the page they died at, alike', async () => {
  const alone = await write(USERS);
  const state = { writing: true };
  const pollers = Array.from({ length: POLLERS }, (_, place) => {
    return new DyingPoller(orgs[place % 2 === 0 ? 0 : 1], 1 + ((place * 7) % LARGEST_PAGE));
  });
  const polledFrom = performance.now();
  const polling = Promise.all(pollers.map((poller) => poller.run(state)));
  const beside = await write(USERS);
  await service.drained();
  state.writing = false;
  await polling;
  const polled = performance.now() - polledFrom;

  for (const org of orgs) {
    const log = new Set(await logOf(org));
    expect(log.size).toBeGreaterThan(USERS);
    for (const poller of pollers.filter((one) => one.org === org)) {
      expect(poller.faults).toEqual([]);
      expect(new Set(poller.done).size, 'an event twice').toBe(poller.done.length);
      // Reading the log itself causes an event, which may come after a poller's last page.
      const missed = [...log].filter((uuid) => !poller.done.includes(uuid));
      expect(missed.length, 'a gap').toBeLessThanOrEqual(1);
      expect(poller.done.every((uuid) => log.has(uuid))).toBe(true);
    }
  }
  const read = pollers.reduce((sum, poller) => sum + poller.done.length, 0);
  const deaths = pollers.reduce((sum, poller) => sum + poller.deaths, 0);
  expect(deaths).toBeGreaterThan(POLLERS);
  console.log(
    `writers alone ${Math.round((USERS / alone) * 1_000)} users/s, beside ${POLLERS} pollers ` +
      `${Math.round((USERS / beside) * 1_000)}/s; ${read} events read in ${Math.round(polled)} ms ` +
      `(${Math.round((read / polled) * 1_000)}/s), ${deaths} deaths`,
  );
}, 180_000);
