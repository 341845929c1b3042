import { type CollectorHttp, type LogEvent, linkOf, microseconds, required } from './log-collector-http.ts';

// This file imitates how published collectors read the log (contract section 21).

export interface Start {
  readonly since: Date;
  readonly at: number;
}

/** A collector records which events it delivered, and how often. */
export abstract class Collector {
  abstract readonly name: string;
  /** The times at which the collector started to read, each with the date from which it read. `Logstash` adds none. */
  readonly starts: Start[] = [];
  readonly handedOn = new Map<string, number>();
  /** Events whose delivery may be repeated, because the collector had not stored its position. */
  readonly unnoted = new Set<string>();
  protected readonly http: CollectorHttp;
  protected readonly since: Date;
  #sinceStart = new Set<string>();

  constructor(http: CollectorHttp, since: Date) {
    this.http = http;
    this.since = since;
  }

  /**
   * Reads a page, if one is due. Returns false if more may follow. If `dies` is true, the collector dies right after it
   * has delivered the page.
   */
  abstract step(dies: boolean): Promise<boolean>;

  /** The uuids of events that were delivered repeatedly but are not in `unnoted`, which `Elastic` does not fill. */
  get repeated(): string[] {
    return [...this.handedOn].flatMap(([uuid, times]) => (times > 1 && !this.unnoted.has(uuid) ? [uuid] : []));
  }

  protected begin(since: Date): void {
    this.starts.push({ since, at: performance.now() });
    this.#sinceStart = new Set();
  }

  protected handOn(events: readonly LogEvent[], dies = false): void {
    for (const { uuid } of events) {
      if (this.#sinceStart.has(uuid)) throw new Error(`${this.name}: ${uuid} twice without a restart between`);
      if (dies) this.unnoted.add(uuid);
      else this.#sinceStart.add(uuid);
      this.handedOn.set(uuid, (this.handedOn.get(uuid) ?? 0) + 1);
    }
  }
}

const lastPublished = (events: readonly LogEvent[], otherwise: Date): Date => {
  const last = events.at(-1);
  return last === undefined ? otherwise : new Date(last.published);
};

/**
 * This collector follows `next` until a page is empty. Then, and after a restart, it starts again at the last
 * `published`.
 */
export class Elastic extends Collector {
  readonly name: string;
  readonly #limit: number;
  #published: Date;
  #next: string | null = null;

  constructor(http: CollectorHttp, since: Date, limit = 1_000) {
    super(http, since);
    this.name = `Elastic, ${limit} a page`;
    this.#limit = limit;
    this.#published = since;
  }

  async step(dies: boolean): Promise<boolean> {
    if (this.#next === null) this.begin(this.#published);
    const first = `/api/v1/logs?limit=${this.#limit}&since=${encodeURIComponent(this.#published.toISOString())}`;
    const page = await this.http.page(this.#next ?? first);
    this.handOn(page.events);
    this.#published = lastPublished(page.events, this.#published);
    this.#next = dies || page.events.length === 0 ? null : required(linkOf(page, 'next'));
    return page.events.length === 0;
  }
}

/**
 * This collector reads adjacent windows, each with `since` and `until`. It stores the end of the last window that it
 * read completely.
 */
export class Splunk extends Collector {
  readonly name = 'Splunk';
  readonly #window: number;
  readonly #settle: number;
  #from: Date;
  #until: Date | null = null;
  #next: string | null = null;

  /**
   * `window` and `settle` are in milliseconds. The first request for a window is sent no earlier than `settle` after
   * the end of the window.
   */
  constructor(http: CollectorHttp, since: Date, window: number, settle: number) {
    super(http, since);
    this.#window = window;
    this.#settle = settle;
    this.#from = since;
  }

  get readUntil(): Date {
    return this.#from;
  }

  async step(dies: boolean): Promise<boolean> {
    if (this.#until === null) {
      const until = new Date(this.#from.getTime() + this.#window);
      if (until.getTime() > Date.now() - this.#settle) return true;
      this.#until = until;
      this.begin(this.#from);
    }
    const range = `since=${microseconds(this.#from)}Z&until=${microseconds(this.#until)}Z`;
    const page = await this.http.page(this.#next ?? `/api/v1/logs?limit=100&${range}&sortOrder=ASCENDING`);
    this.handOn(page.events, dies);
    if (dies) {
      // After a restart, the collector reads the window again. For simplicity, repeated older events are allowed too.
      for (const uuid of this.handedOn.keys()) this.unnoted.add(uuid);
      this.#until = null;
      this.#next = null;
      return false;
    }
    this.#next = linkOf(page, 'next') ?? null;
    if (this.#next === null) {
      this.#from = this.#until;
      this.#until = null;
    }
    return false;
  }
}

/**
 * This collector always continues from the stored next link. It expects `self` before `next`, in two header lines or in
 * one.
 */
export class Logstash extends Collector {
  readonly name = 'Logstash';
  #stored: string | null = null;

  async step(dies: boolean): Promise<boolean> {
    const filter = encodeURIComponent('eventType sw "user."');
    const first = `/api/v1/logs?limit=1000&since=${this.since.toISOString()}&filter=${filter}`;
    const page = await this.http.page(this.#stored ?? first);
    this.handOn(page.events, dies);
    const [one = '', two] = page.linkLines;
    if (!dies) this.#stored = required(/<([^>]+)>/.exec(two ?? one.split(',')[1] ?? '')?.[1]);
    return page.events.length === 0;
  }
}

/**
 * This collector keeps the next link only in memory, so a restart reads from `since` again. It splits the Link header
 * at commas.
 */
export class Vector extends Collector {
  readonly name = 'Vector';
  #next: string | null = null;

  async step(dies: boolean): Promise<boolean> {
    if (this.#next === null) this.begin(this.since);
    const from = encodeURIComponent(this.since.toISOString().replace('Z', '+00:00'));
    const page = await this.http.page(this.#next ?? `/api/v1/logs?limit=50&since=${from}`);
    this.handOn(page.events);
    const part = page.linkLines
      .join(', ')
      .split(',')
      .find((one) => one.includes('rel="next"'));
    this.#next = dies ? null : required(part?.trim().split(';')[0]?.slice(1, -1));
    // After a restart, all earlier events are delivered again.
    if (dies) for (const uuid of this.handedOn.keys()) this.unnoted.add(uuid);
    return page.events.length === 0;
  }
}

/**
 * This collector requests events from the last `published`, ignores links, omits the time zone, and drops known events
 * by uuid.
 */
export class Xsiam extends Collector {
  readonly name: string;
  readonly #limit: number;
  #published: Date;
  /** The number of full pages that did not advance the position. */
  stalls = 0;

  constructor(http: CollectorHttp, since: Date, limit: number) {
    super(http, since);
    this.name = `XSIAM, ${limit} a page`;
    this.#limit = limit;
    this.#published = since;
  }

  async step(dies: boolean): Promise<boolean> {
    this.begin(this.#published);
    const query = `since=${microseconds(this.#published)}&sortOrder=ASCENDING&limit=${this.#limit}`;
    const { events } = await this.http.page(`/api/v1/logs?${query}`);
    const fresh = events.filter((event) => !this.handedOn.has(event.uuid));
    this.handOn(fresh);
    const published = lastPublished(events, this.#published);
    if (events.length === this.#limit && published <= this.#published) this.stalls += 1;
    if (!dies) this.#published = published;
    return fresh.length === 0;
  }
}
