import { setTimeout as delay } from 'node:timers/promises';
import { type CollectorHttp, type LogEvent, linkOf, NoPage, required } from './log-collector-http.ts';
import type { Collector, Start } from './log-collector-ways.ts';

const PAUSE_MILLISECONDS = 15;

/** A reader that never restarts. It records which events the log has, and when each became readable. */
export class Truth {
  readonly #http: CollectorHttp;
  readonly events = new Map<string, LogEvent>();
  readonly readableAt = new Map<string, number>();
  #next: string;
  #stopped = false;
  /** The time at which the last empty page was requested. */
  #emptyAt = 0;

  constructor(http: CollectorHttp, since: Date) {
    this.#http = http;
    this.#next = `/api/v1/logs?limit=1000&since=${since.toISOString()}`;
  }

  stop(): void {
    this.#stopped = true;
  }

  async run(): Promise<void> {
    while (!this.#stopped) {
      const askedAt = performance.now();
      const page = await this.#http.page(this.#next).catch(noPage);
      for (const event of page?.events ?? []) {
        if (this.events.has(event.uuid)) throw new Error(`${event.uuid} twice behind a link`);
        this.events.set(event.uuid, event);
        this.readableAt.set(event.uuid, performance.now());
      }
      if (page !== null) this.#next = required(linkOf(page, 'next'));
      if (page?.events.length === 0) this.#emptyAt = askedAt;
      if (page === null || page.events.length === 0) await delay(PAUSE_MILLISECONDS);
    }
  }

  /** Waits for about a second, and then until this reader has read everything. */
  async settled(): Promise<void> {
    // Events that still wait for the relay are not in the log yet.
    await delay(1_000);
    const calledAt = performance.now();
    while (this.#emptyAt < calledAt) await delay(PAUSE_MILLISECONDS);
  }
}

export const noPage = (error: unknown): null => {
  if (error instanceof NoPage) return null;
  throw error;
};

/** Runs a collector, which sometimes dies and restarts, until the test ends and nothing is left to read. */
export async function runCollector(
  collector: Collector,
  state: { readonly ending: boolean },
  deathsInHundred: number,
): Promise<void> {
  let idle = 0;
  while (!state.ending || idle < 3) {
    const before = collector.handedOn.size;
    const dies = !state.ending && Math.random() * 100 < deathsInHundred;
    const nothing = await collector.step(dies).catch(noPage);
    if (collector.handedOn.size > before) idle = 0;
    else if (state.ending && nothing === true) idle += 1;
    if (nothing !== false) await delay(PAUSE_MILLISECONDS);
  }
}

const owes = (event: LogEvent, readableAt: number) => (start: Start) =>
  start.at > readableAt && new Date(event.published) >= start.since;

/**
 * Finds the `user.*` events that a collector never got. An event is `lost` if the collector was started after the event
 * became readable, and was told to read from the event's `published` or an earlier time. The other missing events are
 * `late`.
 */
export function missing(
  collector: Pick<Collector, 'handedOn' | 'starts'>,
  truth: Truth,
): { lost: readonly string[]; late: readonly string[] } {
  // `Logstash` requests only these events.
  const asked = [...truth.events.values()].filter(({ eventType }) => eventType.startsWith('user.'));
  const never = asked.filter(({ uuid }) => !collector.handedOn.has(uuid));
  const isLost = (event: LogEvent): boolean =>
    collector.starts.some(owes(event, truth.readableAt.get(event.uuid) ?? 0));
  const uuidsOf = (events: readonly LogEvent[]): string[] => events.map(({ uuid }) => uuid);
  return { lost: uuidsOf(never.filter(isLost)), late: uuidsOf(never.filter((event) => !isLost(event))) };
}

export const invented = (collector: Pick<Collector, 'handedOn'>, truth: Truth): string[] =>
  [...collector.handedOn.keys()].filter((uuid) => !truth.events.has(uuid));
