/**
 * `url`: not an https URL, or with credentials. `port`, `address`: not allowed. `unreachable`: the name, connection or
 * certificate failed. `status`: not 200. `encoding`: compressed without being requested. `tooLarge`: the body, or the
 * number of 1xx answers.
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

/** Thrown when a request is refused or fails, or when its answer is not accepted. */
export class OutboundError extends Error {
  readonly reason: OutboundReason;

  constructor(reason: OutboundReason, options?: ErrorOptions) {
    super(`The outbound request failed: ${reason}`, options);
    this.name = 'OutboundError';
    this.reason = reason;
  }
}
