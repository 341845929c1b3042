import type { ConnectionSettings } from '../../platform/postgres/index.ts';
import type { Sizes } from '../../settings/config.ts';

export interface WorkerStart {
  /** These settings are not in an environment variable, because any child process of the worker would inherit it. */
  readonly connection: ConnectionSettings;
  /**
   * The primary's sizes. A worker could derive other sizes, because the primary may have fewer workers than the
   * default. The cores of a container may also change between the starts of two workers.
   */
  readonly sizes: Sizes;
  readonly makesFirstOrg: boolean;
  /** The keys of TLS session tickets in base64. With the same keys, a client can resume its session in any worker. */
  readonly ticketKeys: string;
}

export type ToWorker =
  | ({ readonly type: 'gatehouse:start' } & WorkerStart)
  | { readonly type: 'gatehouse:stop' }
  | { readonly type: 'gatehouse:measure'; readonly request: number }
  | { readonly type: 'gatehouse:news'; readonly news: unknown };

/**
 * The messages that a worker sends to its primary. It sends `hello` when it can receive messages, and `listening` when
 * it answers requests. The primary passes `news` on to the other workers.
 */
export type FromWorker =
  | { readonly type: 'gatehouse:hello' }
  | { readonly type: 'gatehouse:listening'; readonly greeting: string }
  | { readonly type: 'gatehouse:measured'; readonly request: number; readonly metrics: readonly object[] }
  | { readonly type: 'gatehouse:news'; readonly news: unknown };

/** Node and libraries use the same channel for messages of their own. */
const isOurs = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'type' in value && String(value.type).startsWith('gatehouse:');

export const isToWorker = (value: unknown): value is ToWorker => isOurs(value);
export const isFromWorker = (value: unknown): value is FromWorker => isOurs(value);
