import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../server/src/kernel/clock.ts';
import { openCertificateAuthority } from '../../server/src/platform/crypto/index.ts';
import { isListening } from '../../server/test/support/pooler.ts';
import { eventually, LOOPBACK, type ProcessPlace } from '../crash/service-process.ts';
import type { Balancer } from './balancer.ts';

export const HAPROXY = '/usr/sbin/haproxy';

const PAGE = fileURLToPath(new URL('../../docs/operate/nodes.md', import.meta.url));
const PATIENCE_MILLISECONDS = 30_000;

/** A server that HAProxy sends connections or requests to, and the port that it asks for the server's health. */
export interface BackEnd {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly checkPort: number;
}

export interface HaproxyOptions {
  /** The folder for the configuration. */
  readonly directory: string;
  readonly port: number;
  readonly backEnds: readonly BackEnd[];
  readonly place?: ProcessPlace;
}

/** The section with which each configuration of the page begins its work. */
const SECTIONS = { nodes: 'frontend clients\n', primary: 'listen primary\n' } as const;
type Use = keyof typeof SECTIONS;

async function configurationOf(use: Use): Promise<string> {
  const page = await readFile(PAGE, 'utf8');
  const blocks = [...page.matchAll(/^```haproxy\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  const found = blocks.find((text) => text.includes(SECTIONS[use]));
  if (found === undefined) throw new Error(`docs/operate/nodes.md has no configuration with ${SECTIONS[use]}`);
  return found;
}

const certificatePath = (directory: string): string => join(directory, 'haproxy.pem');

/** Starts HAProxy as docs/operate/nodes.md configures it. The caller gives addresses, ports and the path. */
async function openHaproxy(use: Use, options: HaproxyOptions): Promise<Balancer> {
  const { backEnds, directory, place = LOOPBACK, port } = options;
  const servers = backEnds.map(
    (one) => `    server ${one.name} ${one.address}:${one.port} check port ${one.checkPort}\n`,
  );
  const text = (await configurationOf(use))
    .replace(/bind \S+/, `bind ${place.address}:${port}`)
    .replace('/etc/haproxy/gatehouse.pem', certificatePath(directory))
    .replaceAll(/(?:^ +server .*\n)+/gm, servers.join(''));
  const file = join(directory, `haproxy-${use}.cfg`);
  await writeFile(file, text);
  const [program, ...rest] = [...place.prefix, HAPROXY, '-db', '-f', file];
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const keep = (chunk: Buffer): void => void (output += chunk.toString('utf8'));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const ended = once(child, 'exit').catch(() => undefined);
  await eventually('HAProxy', PATIENCE_MILLISECONDS, async () => {
    if (child.exitCode !== null) throw new Error(`HAProxy has ended:\n${output}`);
    return (await isListening(port, place.address)) ? true : null;
  });
  return {
    address: place.address,
    port,
    close: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Starts HAProxy in front of nodes. The clients trust the certificate authority of the data folder. */
export async function openNodesHaproxy(
  options: HaproxyOptions,
  { dataDirectory, hosts }: { readonly dataDirectory: string; readonly hosts: readonly string[] },
): Promise<Balancer> {
  const authority = await openCertificateAuthority(join(dataDirectory, 'tls'), systemClock);
  const { certificate, privateKey } = authority.issue(hosts);
  await writeFile(certificatePath(options.directory), `${certificate}${privateKey}`, { mode: 0o600 });
  return openHaproxy('nodes', options);
}

/** Starts HAProxy in front of PostgreSQL servers, of which it chooses the one that Patroni calls the primary. */
export const openPrimaryHaproxy = (options: HaproxyOptions): Promise<Balancer> => openHaproxy('primary', options);
