/**
 * `url`: not https, or with a user name. `port`, `address`: not one that may be reached. `unreachable`: no connection,
 * no such name, or no good certificate. `status`: anything but 200, redirects too. `encoding`: compressed all the same.
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

/** A request that was not made, or an answer that was not taken. */
export class OutboundError extends Error {
  readonly reason: OutboundReason;

  constructor(reason: OutboundReason, options?: ErrorOptions) {
    super(`The outbound request failed: ${reason}`, options);
    this.name = 'OutboundError';
    this.reason = reason;
  }
}
