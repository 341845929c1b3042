import type { LookupFunction } from 'node:net';
import { rootCertificates } from 'node:tls';
import type { buildConnector } from 'undici';
import { addressKind } from './address.ts';
import type { Networks } from './networks.ts';
import { OutboundError } from './outbound-error.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

export type Lookup = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export interface ConnectOptions {
  /** Networks in which private addresses, and ports other than 443, may be reached. */
  readonly networks: Networks;
  readonly lookup: Lookup;
  readonly trustedAuthorities: readonly string[];
}

const CONNECT_TIMEOUT_MILLISECONDS = 5_000;

/** Tells whether the port is the HTTPS port. `new URL` drops it, but the agent may keep it. */
export const isUsualPort = (port: string): boolean => port === '' || port === '443';

export function assertReachable(address: string, port: string, networks: Networks): void {
  const kind = addressKind(address);
  if (kind === 'forbidden') throw new OutboundError('address');
  if (networks.has(address)) return;
  if (kind === 'private') throw new OutboundError('address');
  if (!isUsualPort(port)) throw new OutboundError('port');
}

/** Returns a look-up that refuses a name if any of its addresses is not allowed. */
function guardedLookup({ networks, lookup }: ConnectOptions, port: string): LookupFunction {
  const resolve = async (hostname: string): Promise<[ResolvedAddress, ...ResolvedAddress[]]> => {
    const [first, ...others] = await lookup(hostname);
    if (first === undefined) throw new OutboundError('unreachable');
    for (const { address } of [first, ...others]) assertReachable(address, port, networks);
    return [first, ...others];
  };
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        if (options.all === true) callback(null, [...addresses]);
        else callback(null, addresses[0].address, addresses[0].family);
      },
      (error: Error) => callback(error, '', 0),
    );
  };
}

/**
 * The connector checks the address that each connection actually reached. `build` is `buildConnector` of undici, which
 * is loaded on first use.
 */
export function guardedConnector(build: typeof buildConnector, options: ConnectOptions): buildConnector.connector {
  const connectorFor = (port: string): buildConnector.connector =>
    build({
      allowH2: false,
      timeout: CONNECT_TIMEOUT_MILLISECONDS,
      // TLS session resumption would store host names that clients chose.
      maxCachedSessions: 0,
      lookup: guardedLookup(options, port),
      ...(options.trustedAuthorities.length === 0 ? {} : { ca: [...rootCertificates, ...options.trustedAuthorities] }),
    });
  const usual = connectorFor('');
  // This connector serves all ports other than 443, which are treated alike.
  const other = connectorFor('other');
  return (target, callback) => {
    const connector = isUsualPort(target.port) ? usual : other;
    connector(target, (...[error, socket]) => {
      if (error !== null) {
        callback(error, null);
        return;
      }
      try {
        // A host that is written as an address is never resolved, but this check sees every final address.
        assertReachable(socket.remoteAddress ?? '', target.port, options.networks);
        callback(null, socket);
      } catch (refusal) {
        socket.destroy();
        callback(refusal instanceof Error ? refusal : new OutboundError('address'), null);
      }
    });
  };
}
