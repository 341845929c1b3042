import { readFileSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { eventually } from '../crash/service-process.ts';
import type { PatroniServer, Roles } from './patroni-cluster.ts';
import { LOOK_MILLISECONDS, membersBy, rolesBy, StuckMembers } from './patroni-members.ts';
import { run } from './run.ts';

export const PASSWORD = 'failover';
export const PATIENCE_MILLISECONDS = 240_000;
export const CONFIGURATION = 'patroni.json';
/** Patroni and PostgreSQL write here. */
export const OUTPUT = 'output.log';
const LINES_TOLD = 40;

/** Makes a client of the superuser of a server. */
export const superuserOf = ({ machine }: PatroniServer, limits: pg.ClientConfig = {}): pg.Client =>
  new pg.Client({ host: machine.address, user: 'postgres', password: PASSWORD, database: 'postgres', ...limits });

/** The standby named by Patroni may still be catching up, so PostgreSQL itself is asked for a commit. */
async function confirms(server: PatroniServer): Promise<boolean> {
  const limits = { connectionTimeoutMillis: LOOK_MILLISECONDS, query_timeout: LOOK_MILLISECONDS };
  const client = superuserOf(server, limits);
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(`select pg_logical_emit_message(true, 'whole', '')`);
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Returns the room on the disk of a server and the last lines that it wrote. */
function stateOf({ disk, machine }: PatroniServer): string {
  const { bavail, blocks } = statfsSync(disk.path);
  const output = readFileSync(join(disk.path, OUTPUT), 'utf8').trimEnd().split('\n').slice(-LINES_TOLD);
  return [`${machine.name}: ${bavail} of ${blocks} blocks of its disk are free`, ...output].join('\n  ');
}

/**
 * Fills a server anew from the primary, as docs/operate/failover.md says. It is needed for a standby that was ahead of
 * the one that became the primary: it cannot follow, and Patroni 3.0 does not rewind it.
 */
function refill({ disk, machine }: PatroniServer, name: string): void {
  process.stdout.write(`${name} does not follow, so it is filled anew\n`);
  const command = ['patronictl', '-c', join(disk.path, CONFIGURATION), 'reinit', 'gatehouse', name, '--force'];
  run(...machine.prefix, ...command);
}

/** Resolves when all servers run, and a standby confirms commits. */
export async function untilWhole(servers: readonly PatroniServer[]): Promise<Roles> {
  const stuck = new StuckMembers();
  try {
    return await eventually('a primary with a standby', PATIENCE_MILLISECONDS, async () => {
      for (const server of servers) {
        const members = await membersBy(server);
        const roles = rolesBy(members, servers);
        if (roles !== null && (await confirms(roles.primary))) return roles;
        for (const name of stuck.among(members)) refill(server, name);
      }
      return null;
    });
  } catch (error) {
    throw new Error(servers.map(stateOf).join('\n'), { cause: error });
  }
}
