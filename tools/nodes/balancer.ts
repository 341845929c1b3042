import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { LOOPBACK } from '../crash/service-process.ts';
import type { Node } from './installation.ts';

const LOOK_MILLISECONDS = 200;

/** A TCP balancer that sends new connections to the processes that are ready. */
export interface Balancer {
  readonly address: string;
  readonly port: number;
  close(): Promise<void>;
}

export interface BalancerOptions {
  /** Whether to close the connections to a process that is no longer ready, even if requests are under way. */
  readonly closesUnready?: boolean;
}

export async function openBalancer(
  nodes: readonly Node[],
  port: number,
  { closesUnready = false }: BalancerOptions = {},
): Promise<Balancer> {
  const ready = new Set<Node>();
  const sockets = new Set<Socket>();
  const served = new Map(nodes.map((node) => [node, new Set<Socket>()]));
  let turn = 0;
  const look = async (): Promise<void> => {
    await Promise.all(
      nodes.map(async (node) => {
        if ((await node.service.health('ready')) === 200) ready.add(node);
        else {
          ready.delete(node);
          if (closesUnready) for (const socket of served.get(node) ?? []) socket.destroy();
        }
      }),
    );
  };
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  };
  /** Connects a client to a ready node. Skips nodes that cannot be reached. */
  const lead = (client: Socket, tried: number): void => {
    const choice = [...ready];
    const node = choice[turn % Math.max(1, choice.length)];
    turn += 1;
    if (node === undefined || tried > nodes.length) {
      client.destroy();
      return;
    }
    const server = connect(node.port, node.address);
    const refused = (): void => lead(client, tried + 1);
    server.once('error', refused);
    server.once('connect', () => {
      server.off('error', refused);
      keep(server);
      served.get(node)?.add(server);
      client.pipe(server).pipe(client);
      client.once('close', () => server.destroy());
      server.once('close', () => {
        served.get(node)?.delete(server);
        client.destroy();
      });
    });
  };
  const front = createServer((client) => {
    keep(client);
    lead(client, 0);
  });
  front.listen(port, LOOPBACK.address);
  await once(front, 'listening');
  await look();
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look().finally(() => {
      isLooking = false;
    });
  }, LOOK_MILLISECONDS);
  return {
    address: LOOPBACK.address,
    port,
    close: async () => {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => front.close(resolve));
    },
  };
}
