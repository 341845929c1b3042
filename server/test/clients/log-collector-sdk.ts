import { setTimeout as delay } from 'node:timers/promises';
import type { LogEvent } from './log-collector-http.ts';
import type { Start } from './log-collector-ways.ts';
import { type NodeSdk, type NodeSdkOptions, startNodeSdk } from './node-sdk.ts';

const INTERVAL_MILLISECONDS = 5_000;

/**
 * This collector runs `subscribe` of the published SDK. The SDK stores no link, so a new process starts at the last
 * `published`.
 */
export class SdkSubscription {
  readonly name = 'SDK subscribe';
  readonly starts: Start[] = [];
  readonly handedOn = new Map<string, number>();
  readonly #options: NodeSdkOptions;
  #published: Date;
  #sdk: NodeSdk | null = null;
  #read = 0;
  readonly repeated: string[] = [];
  #sinceStart = new Set<string>();

  constructor(options: NodeSdkOptions, since: Date) {
    this.#options = options;
    this.#published = since;
  }

  async restart(): Promise<void> {
    await this.close();
    const since = this.#published;
    this.#sdk = await startNodeSdk(this.#options);
    this.#sinceStart = new Set();
    this.starts.push({ since, at: performance.now() });
    await this.#sdk.subscribe('systemLogApi.listLogEvents', { since: since.toISOString() });
  }

  async close(): Promise<void> {
    this.#take();
    await this.#sdk?.close();
    this.#sdk = null;
    this.#read = 0;
  }

  /** Lets one interval of the SDK pass and takes the events that the SDK received. */
  async step(): Promise<void> {
    await this.#sdk?.tick(INTERVAL_MILLISECONDS);
    await delay(50);
    this.#take();
  }

  #take(): void {
    const reports = this.#sdk?.reports ?? [];
    for (const report of reports.slice(this.#read)) {
      if (report.kind !== 'item') continue;
      const { uuid, published } = report.item as LogEvent;
      if (this.#sinceStart.has(uuid)) this.repeated.push(uuid);
      this.#sinceStart.add(uuid);
      this.handedOn.set(uuid, (this.handedOn.get(uuid) ?? 0) + 1);
      this.#published = new Date(published);
    }
    this.#read = reports.length;
  }
}
