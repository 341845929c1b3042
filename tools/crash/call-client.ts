import { setTimeout as delay } from 'node:timers/promises';
import type { TestClient } from '../../server/test/support/client.ts';
import {
  type Ask,
  insistent,
  insisting,
  LostCall,
  requestIdOf,
  type Script,
  type Send,
  type SentCall,
} from './call.ts';

/** The calls of the clients since the last check, and totals since the start. */
export class CallJournal {
  readonly acknowledged: SentCall[] = [];
  readonly lost: SentCall[] = [];
  readonly faults: string[] = [];
  readonly totals = new Map<string, { acknowledged: number; lost: number }>();
  lastAnswerAt = Number.NEGATIVE_INFINITY;
  refusals = 0;

  count(operation: string, what: 'acknowledged' | 'lost'): void {
    const total = this.totals.get(operation) ?? { acknowledged: 0, lost: 0 };
    total[what] += 1;
    this.totals.set(operation, total);
  }

  sum(what: 'acknowledged' | 'lost'): number {
    return [...this.totals.values()].reduce((sum, total) => sum + total[what], 0);
  }

  clear(): void {
    this.acknowledged.length = 0;
    this.lost.length = 0;
    this.faults.length = 0;
  }
}

/** The names of running scripts. The set is reliable only for `single` scripts, which no two clients run at once. */
const busy = new Set<string>();

export class CallClient {
  readonly #admin: TestClient;
  readonly #anonymous: TestClient;
  readonly #journal: CallJournal;
  readonly #adminUserId: string;
  lastAcknowledged: SentCall | null = null;
  lost: SentCall | null = null;
  #stopped = false;

  constructor(clients: { admin: TestClient; anonymous: TestClient }, journal: CallJournal, adminUserId: string) {
    this.#admin = clients.admin;
    this.#anonymous = clients.anonymous;
    this.#journal = journal;
    this.#adminUserId = adminUserId;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Runs scripts until a call is refused or its response is lost. A stopped client ends after its current call. */
  async run(next: () => Script): Promise<void> {
    this.#stopped = false;
    this.lastAcknowledged = null;
    this.lost = null;
    while (!this.#stopped) {
      const script = next();
      if (script.single === true && busy.has(script.name)) {
        // Without a pause, a client that gets the same script again would hold the event loop.
        await delay(1);
        continue;
      }
      busy.add(script.name);
      const look = insistent(this.#admin);
      try {
        await script.run({
          ask: this.#ask,
          send: this.#send,
          probe: (method, path, options) => insisting(this.#anonymous, method, path, options),
          look,
          adminUserId: this.#adminUserId,
        });
      } catch (error) {
        if (!(error instanceof LostCall)) throw error;
        return;
      } finally {
        busy.delete(script.name);
      }
    }
  }

  readonly #ask: Ask = async (call) => (await this.#send(call)).body;

  readonly #send: Send = async (call) => {
    if (this.#stopped) throw new LostCall('stopped before it was sent');
    const client = call.anonymous === true ? this.#anonymous : this.#admin;
    const options = call.options ?? (call.body === undefined ? {} : { body: call.body });
    const response = await client.send(call.method, call.path, options).catch(() => null);
    if (response === null || response.status === 503) {
      if (response !== null) this.#journal.refusals += 1;
      this.lost = { call, requestId: null };
      this.#journal.lost.push(this.lost);
      this.#journal.count(call.operation, 'lost');
      throw new LostCall(call.operation);
    }
    if (response.status >= 400) {
      const answer = `${response.status} ${response.text.slice(0, 300)}`;
      this.#journal.faults.push(`${call.operation} ${call.method} ${call.path}: ${answer}`);
      throw new LostCall(call.operation);
    }
    this.#journal.lastAnswerAt = performance.now();
    this.lastAcknowledged = { call, requestId: requestIdOf(response) };
    this.#journal.acknowledged.push(this.lastAcknowledged);
    this.#journal.count(call.operation, 'acknowledged');
    return response;
  };
}
