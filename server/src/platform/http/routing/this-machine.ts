import { compileCidrs } from '../request/client-address.ts';

const LOOPBACK = compileCidrs(['127.0.0.0/8', '::1']);

export interface Whereabouts {
  readonly peer: string;
  readonly isPeerProxy: boolean;
  readonly forwardedFor: string | undefined;
  readonly forwarded: string | undefined;
}

/**
 * Tells whether a request was made on this machine. The peer and every address in X-Forwarded-For must be loopback
 * addresses. A request through a trusted proxy without that header counts as remote, and so does any request with
 * `Forwarded` (RFC 7239).
 */
export function isFromThisMachine({ forwarded, forwardedFor, isPeerProxy, peer }: Whereabouts): boolean {
  if (!LOOPBACK.matches(peer) || forwarded !== undefined) return false;
  if (forwardedFor === undefined) return !isPeerProxy;
  return forwardedFor.split(',').every((hop) => LOOPBACK.matches(hop.trim()));
}
