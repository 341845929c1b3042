/**
 * `url`: not https, or with a user name. `port`, `address`: not allowed. `unreachable`: no connection, no such name, or
 * no valid certificate. `status`: anything but 200, redirects included. `encoding`: compressed although that was not
 * requested.
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

/** A request that was not made, or an answer that was not accepted. */
export class OutboundError extends Error {
  readonly reason: OutboundReason;

  constructor(reason: OutboundReason, options?: ErrorOptions) {
    super(`The outbound request failed: ${reason}`, options);
    this.name = 'OutboundError';
    this.reason = reason;
  }
}
