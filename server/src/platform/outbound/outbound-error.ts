/**
 * `port`, `address`: the target is not allowed. `tooLarge`: the body is too large, or there are too many 1xx responses.
 * `unreachable`: any failure without a reason of its own.
 */
export type OutboundReason =
  | 'url'
  | 'port'
  | 'address'
  | 'unreachable'
  | 'timeout'
  | 'status'
  | 'encoding'
  | 'tooLarge'
  | 'notJson';

export class OutboundError extends Error {
  readonly reason: OutboundReason;

  constructor(reason: OutboundReason, options?: ErrorOptions) {
    super(`The outbound request failed: ${reason}`, options);
    this.name = 'OutboundError';
    this.reason = reason;
  }
}
