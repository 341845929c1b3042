/**
 * `port` and `address` mean that the target is not allowed. `tooLarge` means that the body is too large, or that there
 * are too many 1xx responses. `unreachable` stands for any failure without a reason of its own.
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
