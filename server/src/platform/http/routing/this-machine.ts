import { compileCidrs } from '../request/client-address.ts';

const LOOPBACK = compileCidrs(['127.0.0.0/8', '::1']);

/** The parts of a request that tell where it was made. */
export interface Whereabouts {
  /** Address at the other end of the connection. */
  readonly peer: string;
  /** The peer is one of the installation's proxies, which speaks for others. */
  readonly isPeerProxy: boolean;
  readonly forwardedFor: string | undefined;
  readonly forwarded: string | undefined;
}

/**
 * Whether a request was made on this machine. The peer alone does not say so: a proxy on this machine speaks for
 * others, so that every address it forwards has to be loopback too. It is believed against the request whether it is
 * listed or not, and one that is listed and names nobody counts as elsewhere. `Forwarded` (RFC 7239) is not read: who
 * sends it is a proxy that is not set up for us.
 */
export function isFromThisMachine({ forwarded, forwardedFor, isPeerProxy, peer }: Whereabouts): boolean {
  if (!LOOPBACK.matches(peer) || forwarded !== undefined) return false;
  if (forwardedFor === undefined) return !isPeerProxy;
  return forwardedFor.split(',').every((hop) => LOOPBACK.matches(hop.trim()));
}
