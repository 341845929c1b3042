import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Bootstrap, FROM_BUILD, freePorts } from '../../../tools/crash/service-process.ts';
import type { Balancer } from '../../../tools/nodes/balancer.ts';
import { openNodesHaproxy } from '../../../tools/nodes/haproxy.ts';
import { type Node, openSharedInstallation, type SharedInstallation } from '../../../tools/nodes/installation.ts';
import { ensureBuild } from './build.ts';
import { createTestClient, type TestClient } from './client.ts';

export interface HaproxyNode extends Node {
  readonly dataDirectory: string;
}

/** Two nodes with a data folder each, on one PostgreSQL and behind HAProxy, all in processes of their own. */
export interface HaproxyNodes {
  readonly installation: SharedInstallation;
  readonly one: HaproxyNode;
  readonly two: HaproxyNode;
  readonly bootstrap: Bootstrap;
  /** The folders in which a first start has left its credentials. */
  readonly bootstrapped: readonly string[];
  /** Returns a client of one node, without HAProxy. By default, it has the API token of the first administrator. */
  at(node: HaproxyNode, headers?: Readonly<Record<string, string>>): Promise<TestClient & { close(): void }>;
  /** Returns a client of HAProxy. */
  client(headers?: Readonly<Record<string, string>>): Promise<TestClient & { close(): void }>;
  close(): Promise<void>;
}

const readBootstrap = async (dataDirectory: string): Promise<Bootstrap | null> => {
  const text = await readFile(join(dataDirectory, 'bootstrap.json'), 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as Bootstrap);
};

/** Makes both first starts race on the empty database. */
export async function openHaproxyNodes(): Promise<HaproxyNodes> {
  await ensureBuild();
  const installation = await openSharedInstallation();
  const [port = 0] = await freePorts(1);
  const environment = {
    GATEHOUSE_PUBLIC_PORT: String(port),
    GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1',
    // A busy machine may need longer than usual to ask for the health of a node.
    GATEHOUSE_DRAIN_SECONDS: '5',
  };
  const newNode = async (name: string): Promise<HaproxyNode> => {
    const dataDirectory = join(installation.directory, name);
    return { ...(await installation.node(name, FROM_BUILD, { environment, dataDirectory })), dataDirectory };
  };
  const nodes = [await newNode('one'), await newNode('two')] as const;
  const [one, two] = nodes;
  for (const { service } of nodes) service.launch();
  let haproxy: Balancer | undefined;
  const close = async (): Promise<void> => {
    for (const { service } of nodes) await service.end('SIGKILL');
    await haproxy?.close();
    await installation.close();
  };
  try {
    for (const { service } of nodes) await service.untilReady();
    const all = await Promise.all(nodes.map(({ dataDirectory }) => readBootstrap(dataDirectory)));
    const bootstrapped = nodes.flatMap(({ dataDirectory }, index) => (all[index] === null ? [] : [dataDirectory]));
    const bootstrap = all.find((found) => found !== null);
    const [dataDirectory] = bootstrapped;
    if (bootstrap === undefined || bootstrap === null || dataDirectory === undefined) throw new Error('no first start');
    const authorization = { authorization: `SSWS ${bootstrap.apiToken}` };
    haproxy = await openNodesHaproxy(
      {
        directory: installation.directory,
        port,
        backEnds: nodes.map((node) => ({ ...node, checkPort: node.managementPort })),
      },
      { dataDirectory, hosts: ['localhost'] },
    );
    return {
      installation,
      one,
      two,
      bootstrap,
      bootstrapped,
      at: async (node, headers = authorization) =>
        createTestClient({
          port: node.port,
          hostname: 'localhost',
          ca: await readFile(join(node.dataDirectory, 'tls', 'ca.pem'), 'utf8'),
          // The client takes the place of HAProxy, which says for whom it asks, and which address was asked.
          headers: { host: `localhost:${port}`, 'x-forwarded-for': '127.0.0.1', ...headers },
        }),
      client: async (headers = authorization) =>
        createTestClient({
          port,
          hostname: 'localhost',
          ca: await readFile(join(dataDirectory, 'tls', 'ca.pem'), 'utf8'),
          headers,
        }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
