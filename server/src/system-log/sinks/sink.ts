import type { OrgId } from '../../kernel/words/ids.ts';
import type { Target } from '../write/event.ts';

/** The kinds of resources that a sink can belong to. A sink has the same id as its resource. */
export const SINK_KINDS = ['event_hook', 'log_stream'] as const;
export type SinkKind = (typeof SINK_KINDS)[number];

export interface SinkEvent {
  readonly position: number;
  readonly uuid: string;
  readonly published: Date;
  readonly eventType: string;
  readonly body: string;
}

export interface SinkBatch {
  readonly orgId: OrgId;
  readonly sinkId: string;
  /** A UUID made from the sink and the positions, by which a receiver can recognize a repetition. */
  readonly id: string;
  /** At least one event, in order of position. */
  readonly events: readonly SinkEvent[];
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  readonly now: Date;
  /** The newest signed checkpoint at or before the end of the batch, as a compact JWS. */
  readonly checkpoint: string | null;
}

export type DeliveryResult =
  | { readonly outcome: 'delivered'; readonly status: number | null }
  /** The batch is retried later. All later events wait for it. */
  | {
      readonly outcome: 'failed';
      readonly status: number | null;
      /** The reason must not contain secrets. Only its first 255 characters are kept. */
      readonly reason: string;
      readonly retryAfterMilliseconds?: number;
    }
  /**
   * The target will never accept this batch as it is. The batch is sent again in halves, and an event that is refused
   * alone becomes a dead letter.
   */
  | { readonly outcome: 'refused'; readonly status: number | null; readonly reason: string };

export interface OpenSink {
  readonly maximumEvents: number;
  /** The maximum total size of the bodies in a batch. A larger event is sent in a separate batch. */
  readonly maximumBytes: number;
  /** The sink as the target of events about its deliveries. */
  readonly target: Target;
  /**
   * Whether the sink's owner sees all attributes of all users. If not, values of attributes are removed from events.
   */
  readonly showsValues: boolean;
  /** Selects the events to send. The other events count as delivered. */
  readonly wants: (event: SinkEvent) => boolean;
  /** Sends a batch. It must not throw because of the target, and must end soon after the signal aborts. */
  readonly deliver: (batch: SinkBatch, signal: AbortSignal) => Promise<DeliveryResult>;
}

export interface SinkProvider {
  /** Returns null if nothing may be sent, for example because the resource is inactive. */
  readonly open: (orgId: OrgId, sinkId: string) => Promise<OpenSink | null>;
}

export type SinkProviders = Readonly<Record<SinkKind, SinkProvider>>;
