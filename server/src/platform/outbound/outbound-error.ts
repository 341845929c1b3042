/**
 * `url`: not https, or with a user name. `port`, `address`: not allowed. `unreachable`: no connection, name or valid
 * certificate. `status`: other than 200, even a redirect. `encoding`: compressed without being requested.
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

/** Thrown when a request was not made, or an answer was not accepted. */
export class OutboundError extends Error {
  readonly reason: OutboundReason;

  constructor(reason: OutboundReason, options?: ErrorOptions) {
    super(`The outbound request failed: ${reason}`, options);
    this.name = 'OutboundError';
    this.reason = reason;
  }
}
