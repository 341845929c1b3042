import type { TestClient } from '../../server/test/support/client.ts';
import { insistent, type Look } from './call.ts';

interface LoggedEvent {
  readonly uuid: string;
  readonly eventType: string;
  readonly transaction: { readonly id: string; readonly type: string };
}

/** The events of one request, in the order of the log. */
export interface Transaction {
  readonly id: string;
  readonly eventTypes: string[];
  text: string;
}

/** A poller that follows the `next` links, even across crashes. It groups events by the request that caused them. */
export class CallLog {
  readonly #look: Look;
  readonly #baseUrl: string;
  #next: string;
  readonly #uuids = new Set<string>();
  readonly transactions = new Map<string, Transaction>();
  readonly faults: string[] = [];

  constructor(client: TestClient, baseUrl: string, since: Date) {
    this.#look = insistent(client);
    this.#baseUrl = baseUrl;
    this.#next = `/api/v1/logs?limit=1000&since=${since.toISOString()}`;
  }

  get events(): number {
    return this.#uuids.size;
  }

  async readOn(): Promise<void> {
    for (;;) {
      const response = await this.#look(this.#next);
      if (response.status !== 200) throw new Error(`the log answered ${response.status}: ${response.text}`);
      const events = response.body as readonly LoggedEvent[];
      for (const event of events) {
        if (this.#uuids.has(event.uuid)) this.faults.push(`event ${event.uuid} was read twice`);
        this.#uuids.add(event.uuid);
        // Events of jobs belong to no call.
        if (event.transaction.type === 'JOB') continue;
        const { id } = event.transaction;
        const transaction = this.transactions.get(id) ?? { id, eventTypes: [], text: '' };
        transaction.eventTypes.push(event.eventType);
        transaction.text += JSON.stringify(event);
        this.transactions.set(id, transaction);
      }
      const link = /<([^>]+)>;\s*rel="next"/.exec(String(response.headers['link'] ?? ''))?.[1];
      if (link === undefined) throw new Error('a poll without a next link');
      this.#next = link.slice(this.#baseUrl.length);
      if (events.length === 0) return;
    }
  }
}
