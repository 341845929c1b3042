import type { TestClient } from '../../server/test/support/client.ts';
import type { Journal } from './journal.ts';

interface LogEvent {
  readonly uuid: string;
  readonly eventType: string;
  readonly transaction: { readonly id: string };
  readonly target: readonly { readonly id: string; readonly type: string; readonly alternateId: string }[] | null;
}

export interface SeenEvent {
  readonly eventType: string;
  readonly transactionId: string;
}

/** A poller that follows the `next` links of the log, even across crashes. */
export class LogReader {
  #client: TestClient;
  readonly #baseUrl: string;
  readonly #uuids = new Set<string>();
  #next: string;
  readonly byUser = new Map<string, SeenEvent[]>();
  readonly logins = new Set<string>();
  readonly faults: string[] = [];

  constructor(client: TestClient, baseUrl: string, since: Date) {
    this.#client = client;
    this.#baseUrl = baseUrl;
    this.#next = `/api/v1/logs?limit=1000&since=${since.toISOString()}`;
  }

  /** The uuids of the events that were read. */
  get uuids(): ReadonlySet<string> {
    return this.#uuids;
  }

  /** Goes on with the same cursor, but with another client. */
  moveTo(client: TestClient): void {
    this.#client = client;
  }

  get count(): number {
    return this.#uuids.size;
  }

  /** Reads the log until a page is empty. Returns false if a page cannot be read. */
  async readOn(): Promise<boolean> {
    for (;;) {
      const response = await this.#client.get(this.#next).catch(() => null);
      if (response?.status !== 200) return false;
      const events = response.body as readonly LogEvent[];
      for (const event of events) this.#take(event);
      const link = /<([^>]+)>;\s*rel="next"/.exec(String(response.headers['link'] ?? ''))?.[1];
      if (link === undefined) throw new Error('a poll without a next link');
      this.#next = link.slice(this.#baseUrl.length);
      if (events.length === 0) return true;
    }
  }

  #take(event: LogEvent): void {
    const user = event.target?.find((target) => target.type === 'User');
    if (user === undefined || !event.eventType.startsWith('user.')) return;
    if (this.#uuids.has(event.uuid)) this.faults.push(`event ${event.uuid} was read twice`);
    this.#uuids.add(event.uuid);
    this.logins.add(user.alternateId);
    const seen = this.byUser.get(user.id) ?? [];
    seen.push({ eventType: event.eventType, transactionId: event.transaction.id });
    this.byUser.set(user.id, seen);
  }
}

/** Checks that the log contains the expected events of each user, in order, and no other user events. */
export function compare(journal: Journal, reader: LogReader): string[] {
  const faults: string[] = [];
  for (const user of journal.users.values()) {
    const seen = reader.byUser.get(user.id) ?? [];
    const expected = user.events.map((event) => event.eventType).join(' ');
    const found = seen.map((event) => event.eventType).join(' ');
    if (expected !== found) faults.push(`${user.id}: expected [${expected}], the log has [${found}]`);
    user.events.forEach((event, index) => {
      const transactionId = seen[index]?.transactionId;
      if (event.requestId === null || transactionId === event.requestId) return;
      faults.push(`${user.id}: request ${event.requestId} caused ${event.eventType}, the log says ${transactionId}`);
    });
  }
  for (const id of reader.byUser.keys()) {
    if (!journal.users.has(id)) faults.push(`${id}: the log has events of a user that no client created`);
  }
  for (const login of journal.absentLogins) {
    if (reader.logins.has(login)) faults.push(`${login}: absent, but the log has events of it`);
  }
  return faults;
}
