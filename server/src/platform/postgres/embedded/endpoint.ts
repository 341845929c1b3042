import { createHash, randomBytes } from 'node:crypto';
import { chown, lstat, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClusterUser, mayEnter } from './cluster/cluster-user.ts';
import { exists, replaceFile } from './cluster/durable-files.ts';
import { EmbeddedPostgresError, hasCode } from './embedded-error.ts';

/** If `host` is a folder, it contains the Unix socket, as in libpq. */
export interface EmbeddedConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password?: string;
  readonly database: string;
}

export interface Endpoint {
  readonly connection: EmbeddedConnection;
  /** The server settings that open this endpoint and no other. */
  readonly settings: Readonly<Record<string, string>>;
  readonly clientAuthentication: string;
  removeLeftover(): Promise<void>;
  remove(): Promise<void>;
}

export const DATABASE = 'gatehouse';
export const SUPERUSER = 'gatehouse';
const PORT = 5432;
const LONGEST_SOCKET_PATH_BYTES = 100;

const socketPathLength = (directory: string): number => Buffer.byteLength(join(directory, `.s.PGSQL.${PORT}.lock`));

/**
 * Returns false if the folder cannot be created, or exists with another owner or mode, because another user may have
 * created it.
 */
async function openSocketDirectory(directory: string, ownerId: number, user: ClusterUser | null): Promise<boolean> {
  try {
    await mkdir(directory, { mode: 0o700 });
    if (user !== null) await chown(directory, user.uid, user.gid);
    return true;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) return false;
  }
  const found = await lstat(directory);
  return found.isDirectory() && found.uid === ownerId && (found.mode & 0o777) === 0o700;
}

async function provideSocketDirectory(clusterDirectory: string, user: ClusterUser | null): Promise<string> {
  const name = `gh-${createHash('sha256').update(clusterDirectory).digest('hex').slice(0, 12)}`;
  const ownerId = user?.uid ?? process.getuid?.() ?? 0;
  for (const parent of [tmpdir(), '/tmp']) {
    const directory = join(parent, name);
    if (socketPathLength(`${directory}XXXXXX`) > LONGEST_SOCKET_PATH_BYTES || !mayEnter(parent, user)) continue;
    if (await openSocketDirectory(directory, ownerId, user)) return directory;
    const own = await mkdtemp(directory).catch(() => null);
    if (own === null) continue;
    if (user !== null) await chown(own, user.uid, user.gid);
    return own;
  }
  throw new EmbeddedPostgresError(
    `No folder for PostgreSQL's socket: neither ${tmpdir()} nor /tmp can be used. Make one writable for the server.`,
  );
}

/** Creates an endpoint that trusts everyone who can enter its folder: root and the owner of the cluster's files. */
async function socketEndpoint(clusterDirectory: string, user: ClusterUser | null): Promise<Endpoint> {
  const host = await provideSocketDirectory(clusterDirectory, user);
  return {
    connection: { host, port: PORT, user: SUPERUSER, database: DATABASE },
    settings: {
      listen_addresses: '',
      port: String(PORT),
      unix_socket_directories: host,
      unix_socket_permissions: '0700',
    },
    clientAuthentication: 'local all all trust\n',
    async removeLeftover() {
      for (const name of await readdir(host)) await rm(join(host, name), { force: true });
    },
    remove: () => rm(host, { recursive: true, force: true }),
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new EmbeddedPostgresError('No free port on 127.0.0.1.');
  return address.port;
}

/** Creates the endpoint for Windows: a loopback port with a password, because Unix sockets have no owner there. */
async function loopbackEndpoint(dataDirectory: string): Promise<Endpoint> {
  const passwordFile = join(dataDirectory, 'postgres.password');
  if (!(await exists(passwordFile))) await replaceFile(passwordFile, randomBytes(24).toString('base64url'));
  const port = await freePort();
  const password = (await readFile(passwordFile, 'utf8')).trim();
  return {
    connection: { host: '127.0.0.1', port, user: SUPERUSER, password, database: DATABASE },
    settings: { listen_addresses: '127.0.0.1', port: String(port) },
    clientAuthentication: 'host all all 127.0.0.1/32 scram-sha-256\n',
    removeLeftover: () => Promise.resolve(),
    remove: () => Promise.resolve(),
  };
}

export const openEndpoint = (
  clusterDirectory: string,
  dataDirectory: string,
  user: ClusterUser | null,
): Promise<Endpoint> =>
  process.platform === 'win32' ? loopbackEndpoint(dataDirectory) : socketEndpoint(clusterDirectory, user);
