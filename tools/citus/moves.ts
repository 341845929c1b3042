import { setTimeout as delay } from 'node:timers/promises';
import { orgIdOf } from '../../bench/orgs-data.ts';
import type { LoadedInstallation } from './installation.ts';
import { CALLS, type LoadOutcome, runLoad } from './load.ts';

interface MoveOptions {
  /** The numbers of the orgs. */
  readonly orgs: readonly number[];
  readonly clients: number;
  readonly print: (line: string) => void;
}

interface Placement {
  readonly shard: string;
  readonly host: string;
  readonly port: number;
  readonly orgs: readonly string[];
}

const PLACEMENTS = `select s.shardid::text as shard, s.nodename as host, s.nodeport as port, array_agg(o.id) as orgs
  from orgs o join citus_shards s on s.shardid = get_shard_id_for_distribution_column('users', o.id)
  where o.id = any ($1) group by s.shardid, s.nodename, s.nodeport order by count(*) desc, s.shardid`;
const MOVE = `select
  citus_move_shard_placement($1::bigint, $2::text, $3::integer, $4::text, $5::integer, 'force_logical')`;
/** Without blocking writes, Citus 13.2 cannot split the shards of tables that have lost a column, as ours have. */
const ISOLATE = `select isolate_tenant_to_new_shard('users', $1::text, 'CASCADE', 'block_writes')`;

const LOAD_AROUND_MILLISECONDS = 3_000;

/** Returns the shards of the table of users, those with the most orgs first. */
async function placementsOf({ pool }: LoadedInstallation, orgs: readonly number[]): Promise<readonly Placement[]> {
  return (await pool.query<Placement>(PLACEMENTS, [orgs.map(orgIdOf)])).rows;
}

/** Clients write to these orgs before, while and after the work is done. */
async function under(
  place: LoadedInstallation,
  { clients, orgs }: Pick<MoveOptions, 'clients' | 'orgs'>,
  work: () => Promise<unknown>,
): Promise<LoadOutcome & { readonly seconds: number }> {
  const ending = new AbortController();
  const loading = runLoad(place, {
    clients,
    orgs,
    call: CALLS['update a user'],
    isWanted: () => !ending.signal.aborted,
  });
  await delay(LOAD_AROUND_MILLISECONDS);
  const began = performance.now();
  try {
    await work();
  } finally {
    await delay(LOAD_AROUND_MILLISECONDS);
    ending.abort();
  }
  const seconds = (performance.now() - began - LOAD_AROUND_MILLISECONDS) / 1_000;
  return { ...(await loading), seconds };
}

/**
 * Moves the orgs of a shard to another worker, gives an org a shard of its own, and moves that shard, while clients
 * write to the orgs that move. Returns whether no client got another answer than 200, or 503 with Retry-After.
 */
export async function movesUnderLoad(place: LoadedInstallation, options: MoveOptions): Promise<boolean> {
  const { clients, orgs, print } = options;
  let isGood = true;
  const run = async (name: string, moving: readonly number[], work: () => Promise<unknown>): Promise<void> => {
    const outcome = await under(place, { clients, orgs: moving }, work);
    const { answers, faults, refusals, refusalsInRow, seconds, slowestMilliseconds } = outcome;
    isGood &&= faults.length === 0;
    print(
      `${name}: ${seconds.toFixed(1)} s, ${answers} answers, ${refusals} of them 503 ` +
        `(at most ${refusalsInRow} in a row), slowest ${Math.round(slowestMilliseconds)} ms, ${faults.length} faults`,
    );
    for (const fault of faults.slice(0, 5)) print(`  ${fault}`);
  };
  const move = async ({ host, port, shard }: Placement): Promise<void> => {
    const { rows } = await place.pool.query<{ host: string; port: number }>(
      'select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 and nodeport <> $1',
      [port],
    );
    const [to] = rows;
    await place.pool.query(MOVE, [shard, host, port, to?.host, to?.port]);
  };
  const numbersOf = (placement: Placement): readonly number[] =>
    orgs.filter((org) => placement.orgs.includes(orgIdOf(org)));
  const [first] = await placementsOf(place, orgs);
  if (first === undefined) throw new Error('there are no shards');
  const own = numbersOf(first).slice(0, 1);
  const owned = own.map(orgIdOf);
  await run(`move of ${first.orgs.length} orgs`, numbersOf(first), () => move(first));
  await run('shard of its own for an org', numbersOf(first), () => place.pool.query(ISOLATE, owned));
  const [apart] = await placementsOf(place, own);
  if (apart === undefined) throw new Error('the org has no shard');
  await run('move of an org', own, () => move(apart));
  return isGood;
}
