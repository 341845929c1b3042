import type { ConnectionSettings } from '../../platform/postgres/index.ts';
import type { Sizes } from '../../settings/config.ts';

/** The facts that a worker gets from its primary before it can serve. */
export interface WorkerStart {
  /** If an environment variable passed these settings, child processes would inherit them. */
  readonly connection: ConnectionSettings;
  /**
   * The primary's sizes. A worker does not derive its own, because the primary may have fewer workers than the default,
   * and the cores of a container may change between the starts of two workers.
   */
  readonly sizes: Sizes;
  /** Whether the worker makes the first org of the installation, if there is none yet. Only one worker does. */
  readonly makesFirstOrg: boolean;
  /** The keys of TLS session tickets in base64. With the same keys, a client can resume its session in any worker. */
  readonly ticketKeys: string;
}

/** The messages of a primary to a worker. */
export type ToWorker =
  | ({ readonly type: 'gatehouse:start' } & WorkerStart)
  | { readonly type: 'gatehouse:stop' }
  | { readonly type: 'gatehouse:measure'; readonly request: number }
  | { readonly type: 'gatehouse:news'; readonly news: unknown };

/**
 * The messages of a worker to its primary: first that it hears messages, later that it answers requests. `news` is for
 * the other workers.
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
