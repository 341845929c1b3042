import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestClient, TestResponse } from '../../server/test/support/client.ts';
import type { Journal, JournaledUser, UserState } from './journal.ts';

const CREATED = ['user.lifecycle.create', 'user.lifecycle.activate'] as const;
const UPDATED = 'user.account.update_profile';
const PAUSE_MILLISECONDS = 25;
const OUTAGE_PAUSE_MILLISECONDS = 250;

/** Returns a hashed password to import, so that the load is on the database and not on argon2. */
function importedPassword() {
  const salt = randomBytes(8);
  const value = createHash('sha256').update(salt).update('Correct-1-Horse').digest('base64');
  return { hash: { algorithm: 'SHA-256', salt: salt.toString('base64'), saltOrder: 'PREFIX', value } };
}

const requestIdOf = (response: TestResponse): string | null => {
  const name = Object.keys(response.headers).find((one) => one.endsWith('-request-id'));
  const value = name === undefined ? undefined : response.headers[name];
  return typeof value === 'string' ? value : null;
};

/** A balancer that got no answer from a node, or found none, says so itself. The outcome is then unknown. */
const isOfBalancer = (response: TestResponse): boolean =>
  [502, 503, 504].includes(response.status) && requestIdOf(response) === null;

const stateOf = (response: TestResponse): UserState => ({
  nickName: String(response.body.profile.nickName ?? ''),
  status: String(response.body.status),
});

const isSame = (one: UserState, other: UserState): boolean =>
  one.nickName === other.nickName && one.status === other.status;

/** A client that creates users, changes only these users, and records the outcomes. */
export class Writer {
  readonly #client: TestClient;
  readonly #journal: Journal;
  readonly #own: JournaledUser[] = [];
  readonly #settlesLater: boolean;
  /** The requests whose outcome is still unknown. */
  #doubts: (() => Promise<void>)[] = [];
  #stopped = false;

  /** With `settlesLater`, unknown outcomes are looked up by `settle` instead of at once. */
  constructor(client: TestClient, journal: Journal, { settlesLater = false } = {}) {
    this.#client = client;
    this.#journal = journal;
    this.#settlesLater = settlesLater;
  }

  stop(): void {
    this.#stopped = true;
  }

  async run(): Promise<void> {
    this.#stopped = false;
    while (!this.#stopped) await this.#step();
  }

  /** Looks up the outcomes of the requests that got no answer. Call this when nothing of them is under way any more. */
  async settle(): Promise<void> {
    const doubts = this.#doubts;
    this.#doubts = [];
    for (const find of doubts) await find();
  }

  async #doubt(find: () => Promise<void>): Promise<void> {
    this.#journal.doubtful += 1;
    if (!this.#settlesLater) {
      await find();
      return;
    }
    this.#doubts.push(find);
    // During a long outage, each attempt is one more to look up.
    await delay(OUTAGE_PAUSE_MILLISECONDS);
  }

  async #step(): Promise<void> {
    const user = this.#own[randomInt(Math.max(1, this.#own.length))];
    if (user === undefined || randomInt(100) < 35) return this.#create();
    if (user.state.status === 'ACTIVE' && randomInt(100) < 60) return this.#update(user);
    return this.#suspendOrBack(user);
  }

  /** Returns the response, or null if the outcome of the request is unknown. */
  async #send(method: string, path: string, options: Parameters<TestClient['send']>[2]): Promise<TestResponse | null> {
    const begunAt = performance.now();
    const response = await this.#client.send(method, path, options).catch(() => null);
    if (response === null || isOfBalancer(response)) return null;
    if (response.status === 503) {
      this.#journal.refusals += 1;
      if (response.headers['retry-after'] === undefined) this.#journal.faults.push(`${path}: 503 without Retry-After`);
      return null;
    }
    if (response.status < 400 && method !== 'GET') this.#journal.acknowledge(begunAt, requestIdOf(response));
    if (response.status >= 400 && response.status !== 404) {
      this.#journal.faults.push(`${method} ${path}: ${response.status} ${response.text.slice(0, 300)}`);
    }
    return response;
  }

  async #insist(method: string, path: string, options: Parameters<TestClient['send']>[2] = {}): Promise<TestResponse> {
    for (;;) {
      const response = await this.#send(method, path, options);
      if (response !== null) return response;
      await delay(PAUSE_MILLISECONDS);
    }
  }

  async #create(): Promise<void> {
    const login = `${randomUUID()}@example.com`;
    const profile = { firstName: 'Crash', lastName: 'Test', login, email: login, nickName: 'new' };
    const options = {
      body: { profile, credentials: { password: importedPassword() } },
      headers: { 'idempotency-key': randomUUID() },
    };
    const first = await this.#send('POST', '/api/v1/users', options);
    if (first !== null) return this.#created(login, first, requestIdOf(first));
    return this.#doubt(async () => {
      if (randomInt(2) === 0) return this.#created(login, await this.#insist('POST', '/api/v1/users', options), null);
      // Half of the requests with an unknown outcome are not repeated. The user must then be absent or complete.
      const found = await this.#insist('GET', `/api/v1/users/${encodeURIComponent(login)}`);
      if (found.status === 404) this.#journal.absentLogins.add(login);
      else this.#created(login, found, null);
    });
  }

  #created(login: string, response: TestResponse, requestId: string | null): void {
    if (response.status !== 200) return;
    const state = stateOf(response);
    if (response.body.profile.login !== login || !isSame(state, { nickName: 'new', status: 'ACTIVE' })) {
      this.#journal.faults.push(`${login}: created by halves: ${response.text}`);
    }
    const events = CREATED.map((eventType) => ({ eventType, requestId, state }));
    const user = { id: String(response.body.id), login, events, state };
    if (this.#journal.users.has(user.id)) this.#journal.faults.push(`${login}: created twice`);
    this.#journal.users.set(user.id, user);
    this.#own.push(user);
  }

  #update(user: JournaledUser): Promise<void> {
    const nickName = `n${randomInt(1_000_000_000)}`;
    const body = { profile: { nickName } };
    return this.#change(user, `/api/v1/users/${user.id}`, { body }, { ...user.state, nickName }, UPDATED);
  }

  #suspendOrBack(user: JournaledUser): Promise<void> {
    const action = user.state.status === 'ACTIVE' ? 'suspend' : 'unsuspend';
    const next = { ...user.state, status: action === 'suspend' ? 'SUSPENDED' : 'ACTIVE' };
    return this.#change(user, `/api/v1/users/${user.id}/lifecycle/${action}`, {}, next, `user.lifecycle.${action}`);
  }

  async #change(
    user: JournaledUser,
    path: string,
    options: Parameters<TestClient['send']>[2],
    next: UserState,
    eventType: string,
  ): Promise<void> {
    const response = await this.#send('POST', path, options);
    if (response !== null) {
      if (response.status !== 200) return;
      user.events.push({ eventType, requestId: requestIdOf(response), state: next });
      user.state = next;
      return;
    }
    this.#own.splice(this.#own.indexOf(user), 1);
    return this.#doubt(async () => {
      this.#own.push(user);
      const found = await this.#insist('GET', `/api/v1/users/${user.id}`);
      const state = found.status === 200 ? stateOf(found) : { nickName: '', status: `HTTP ${found.status}` };
      if (isSame(state, next)) {
        user.events.push({ eventType, requestId: null, state: next });
        user.state = next;
      } else if (!isSame(state, user.state)) {
        this.#journal.faults.push(`${user.id}: neither before nor after ${eventType}: ${JSON.stringify(state)}`);
      }
    });
  }
}
