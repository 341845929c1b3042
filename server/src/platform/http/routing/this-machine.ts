import { compileCidrs } from '../request/client-address.ts';

const LOOPBACK = compileCidrs(['127.0.0.0/8', '::1']);

/** The parts of a request that show where it was made. */
export interface Whereabouts {
  /** Address at the other end of the connection. */
  readonly peer: string;
  /** The peer is one of the installation's proxies, which forward for others. */
  readonly isPeerProxy: boolean;
  readonly forwardedFor: string | undefined;
  readonly forwarded: string | undefined;
}

/**
 * Whether a request was made on this machine. The peer address does not suffice: a local proxy forwards for others, so
 * every address that it forwards must be loopback too. Its header counts against the request whether the proxy is
 * trusted or not, and a trusted proxy that names nobody counts as remote. `Forwarded` (RFC 7239) is ignored, because
 * proxies that send it are not set up for us.
 */
export function isFromThisMachine({ forwarded, forwardedFor, isPeerProxy, peer }: Whereabouts): boolean {
  if (!LOOPBACK.matches(peer) || forwarded !== undefined) return false;
  if (forwardedFor === undefined) return !isPeerProxy;
  return forwardedFor.split(',').every((hop) => LOOPBACK.matches(hop.trim()));
}
