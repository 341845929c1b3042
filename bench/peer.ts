import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConnectionSettings } from '../server/src/platform/postgres/index.ts';
import type { Endpoint } from './connection.ts';
import { spawnSubject } from './cores.ts';
import type { Gatehouse, Place } from './gatehouse.ts';

export interface PeerSettings {
  readonly connection: ConnectionSettings;
  /** The folder for the peer's certificate authority; null for plain HTTP. */
  readonly tlsDirectory: string | null;
}

export interface PeerReady {
  readonly port: number;
  readonly ca: string | null;
}

export interface Peer {
  readonly endpoint: Endpoint;
  readonly pid: number;
  stop(): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('peer-program.ts', import.meta.url));

/** Starts bare Fastify on the product's PostgreSQL. Clients reach it over the same protocol as the product. */
export async function startPeer(gatehouse: Gatehouse, place: Place, node: string): Promise<Peer> {
  const settings: PeerSettings = {
    connection: gatehouse.connection,
    tlsDirectory: gatehouse.endpoint.ca === null ? null : join(place.directory, 'peer-tls'),
  };
  const child = spawnSubject(node, ['--import', 'tsx', PROGRAM, JSON.stringify(settings)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  const ready = await Promise.race([once(child, 'message'), ended.then(() => null)]);
  if (ready === null) throw new Error('the peer did not start');
  const { ca, port } = ready[0] as PeerReady;
  return {
    endpoint: { port, hostname: 'localhost', ca },
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
