import { within } from '../../server/src/platform/operations/within.ts';
import type { PatroniServer, Roles } from './patroni-cluster.ts';

export const REST_PORT = 8008;
export const LOOK_MILLISECONDS = 1_000;

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

/** Returns the members of the cluster as one server knows them, or none if it does not answer. */
export async function membersBy(server: PatroniServer): Promise<readonly Member[]> {
  const url = `http://${server.machine.address}:${REST_PORT}/cluster`;
  try {
    const answer = await within(LOOK_MILLISECONDS, fetch(url));
    return ((await answer.json()) as { members: readonly Member[] }).members;
  } catch {
    return [];
  }
}

const isRunning = ({ state }: Member): boolean => state === 'running' || state === 'streaming';

/** A server that comes back needs some seconds, so it is not given up before. */
const PATIENCE_MILLISECONDS = 45_000;

/** A standby that is being filled is on its way. */
const isComing = (member: Member): boolean => isRunning(member) || member.state === 'creating replica';

/** Finds the standbys that have not run for so long that they will not come back by themselves. */
export class StuckMembers {
  readonly #since = new Map<string, number>();

  /**
   * Returns the names of such standbys, if there is a primary from which they can be filled. A standby that stays stuck
   * is returned again after the same time.
   */
  among(members: readonly Member[]): readonly string[] {
    const now = performance.now();
    if (!members.some((member) => member.role === 'leader' && isRunning(member))) return [];
    const found: string[] = [];
    for (const member of members) {
      const since = this.#since.get(member.name) ?? now;
      const isOver = now - since >= PATIENCE_MILLISECONDS;
      if (isComing(member) || isOver) this.#since.delete(member.name);
      else this.#since.set(member.name, since);
      if (isOver && !isComing(member)) found.push(member.name);
    }
    return found;
  }
}

/** Returns the roles of the servers if all of them run. */
export function rolesBy(members: readonly Member[], servers: readonly PatroniServer[]): Roles | null {
  const running = members.filter(isRunning);
  if (running.length < servers.length) return null;
  const named = (role: string): PatroniServer | undefined =>
    servers.find(({ machine }) => running.some((member) => member.role === role && member.name === machine.name));
  const [primary, standby] = [named('leader'), named('sync_standby')];
  if (primary === undefined || standby === undefined) return null;
  return { primary, standby, others: servers.filter((server) => server !== primary && server !== standby) };
}

/** Whether all servers of a second site run and get the changes of the first one. */
export const areFollowing = (members: readonly Member[], servers: readonly PatroniServer[]): boolean =>
  members.length === servers.length &&
  members.some(({ role }) => role === 'standby_leader') &&
  members.every(isRunning);
