import type { OrgId } from '../../kernel/words/ids.ts';
import type { Target } from '../write/event.ts';

/** The kinds of resource that a sink can belong to; a sink has the id of its resource. */
export const SINK_KINDS = ['event_hook', 'log_stream'] as const;
export type SinkKind = (typeof SINK_KINDS)[number];

/** One event of the ledger that is being delivered. */
export interface SinkEvent {
  readonly position: number;
  readonly uuid: string;
  readonly published: Date;
  readonly eventType: string;
  /** The event as stored: JSON text. */
  readonly body: string;
}

/** The events of one delivery. A batch that is sent again has the same id and the same events. */
export interface SinkBatch {
  readonly orgId: OrgId;
  readonly sinkId: string;
  /** UUID made from the sink and the positions, so that a receiver can recognise a repetition. */
  readonly id: string;
  /** The events, at least one, by rising position. */
  readonly events: readonly SinkEvent[];
  /** The first attempt has number 1. */
  readonly attempt: number;
  readonly now: Date;
  /** The newest signed checkpoint at or before the end of the batch (compact JWS); null when there is none yet. */
  readonly checkpoint: string | null;
}

export type DeliveryResult =
  | { readonly outcome: 'delivered'; readonly status: number | null }
  /** The batch is retried later; nothing after it is sent before it succeeds. */
  | {
      readonly outcome: 'failed';
      readonly status: number | null;
      /** At most 255 characters; no secrets. */
      readonly reason: string;
      readonly retryAfterMilliseconds?: number;
    }
  /** The target will never accept this batch: it is halved until the faulty event is alone and is set aside. */
  | { readonly outcome: 'refused'; readonly status: number | null; readonly reason: string };

/** A sink as the runner uses it for one turn. */
export interface OpenSink {
  readonly maximumEvents: number;
  /** Sum of the bodies' bytes in a batch; a larger event is sent on its own. */
  readonly maximumBytes: number;
  /** Names the sink in events about its deliveries. */
  readonly target: Target;
  /**
   * Whether the sink's owner sees all attributes of all users now. Otherwise events are sent, and filtered, with
   * attribute names only.
   */
  readonly showsValues: boolean;
  /** Events that it filters out count as delivered. */
  readonly wants: (event: SinkEvent) => boolean;
  /** Never throws because of the target; must end soon after the signal. */
  readonly deliver: (batch: SinkBatch, signal: AbortSignal) => Promise<DeliveryResult>;
}

/** Opens the sinks of one kind from their stored configuration. */
export interface SinkProvider {
  /** Returns null if the resource is inactive, so that nothing is sent. */
  readonly open: (orgId: OrgId, sinkId: string) => Promise<OpenSink | null>;
}

export type SinkProviders = Readonly<Record<SinkKind, SinkProvider>>;
