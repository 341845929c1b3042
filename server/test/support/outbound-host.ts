import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import {
  type CertificateAuthority,
  openCertificateAuthority,
} from '../../src/platform/crypto/certificate-authority.ts';
import {
  createOutbound,
  type Lookup,
  type Outbound,
  OutboundError,
  type OutboundOptions,
} from '../../src/platform/outbound/index.ts';

export const HOST_NAME = 'keys.example';

export const resolvesTo =
  (...addresses: readonly string[]): Lookup =>
  () =>
    Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));

export async function reasonOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    (value) => new Error(`answered ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  if (error instanceof OutboundError) return error.reason;
  throw error;
}

export interface OutboundHost {
  port: number;
  connections: number;
  readonly requests: IncomingMessage[];
  answer: (request: IncomingMessage, response: ServerResponse) => void;
  /**
   * Returns a client for outgoing requests. By default, it trusts the host's CA and resolves all names to this machine.
   */
  readonly outbound: (given?: Partial<OutboundOptions>) => Outbound;
  readonly address: (path?: string) => string;
}

/** Starts an HTTPS host for the test file. Unless a test sets `answer`, the host returns an empty key set. */
export function useOutboundHost(): OutboundHost {
  let directory = '';
  let authority: CertificateAuthority;
  let server: Server;
  const open: Outbound[] = [];
  const host: OutboundHost = {
    port: 0,
    connections: 0,
    requests: [],
    answer: () => undefined,
    outbound: (given = {}) => {
      const made = createOutbound({
        networks: ['127.0.0.0/8', '::1/128', '10.0.0.0/8'],
        lookup: resolvesTo('127.0.0.1'),
        trustedAuthorities: [authority.certificate],
        ...given,
      });
      open.push(made);
      return made;
    },
    address: (path = '/keys') => `https://${HOST_NAME}:${host.port}${path}`,
  };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gh-out-'));
    authority = await openCertificateAuthority(directory, systemClock);
    const { certificate, privateKey } = authority.issue([HOST_NAME, '127.0.0.1']);
    server = createServer({ cert: certificate, key: privateKey }, (request, response) => {
      host.requests.push(request);
      host.answer(request, response);
    });
    server.on('connection', () => {
      host.connections += 1;
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port: host.port } = server.address() as AddressInfo);
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await rm(directory, { recursive: true });
  });
  beforeEach(() => {
    host.connections = 0;
    host.requests.length = 0;
    host.answer = (_, response) => response.end('{"keys":[]}');
  });
  afterEach(() => Promise.all(open.splice(0).map((made) => made.close())));
  return host;
}
