import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Endpoint } from './connection.ts';
import { spawnSubject } from './cores.ts';

const PROGRAM = fileURLToPath(new URL('oidc-provider-program.mjs', import.meta.url));
export const PROVIDER = 'oidc-provider 9.13.3, in memory';

export const SCOPE = 'svc.users.read';
const WEB_CLIENT = { id: 'bench-web', secret: 'a secret of the benchmark' };

export interface WebClient {
  readonly id: string;
  readonly secret: string;
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

export interface KeyedClient {
  readonly id: string;
  readonly key: KeyObject;
  readonly kid: string;
}

export interface Provider {
  readonly endpoint: Endpoint;
  readonly client: KeyedClient;
  readonly webClient: WebClient;
  /** Returns one authorization code for each of this many users, as if they had signed in. */
  codes(count: number): Promise<string[]>;
  stop(): Promise<void>;
}

/** Starts the peer on the measured core. It keeps everything in memory. */
export async function startProvider(node: string): Promise<Provider> {
  const ours = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const theirs = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const facts = { alg: 'RS256', use: 'sig' };
  const keys = {
    clientKey: { ...ours.publicKey.export({ format: 'jwk' }), ...facts, kid: 'bench' },
    serverKey: { ...theirs.privateKey.export({ format: 'jwk' }), ...facts, kid: 'server' },
    scope: SCOPE,
    webClient: WEB_CLIENT,
  };
  const port = await freePort();
  const child = spawnSubject(node, [PROGRAM, JSON.stringify(keys), String(port)], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const ended = once(child, 'exit');
  await once(child, 'message');
  return {
    endpoint: { port, hostname: '127.0.0.1', ca: null },
    client: { id: 'bench', key: ours.privateKey, kid: 'bench' },
    webClient: WEB_CLIENT,
    codes: async (count) => {
      child.send({ count });
      const [message] = (await once(child, 'message')) as [{ codes: string[] }];
      return message.codes;
    },
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
