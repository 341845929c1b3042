import { type Db, run } from '../postgres/index.ts';

/** The name under which the sealer stores its state in the table `installation`. */
export const SEALING_FACT = 'log_sealing';

/** The state that the sealer found when it last looked at all orgs. */
export interface SealingState {
  /** The number of events that were not sealed, due or not. */
  readonly unsealed: number;
  /** The number of orgs in which an event is not what was written, so that nothing after it is sealed. */
  readonly blockedOrgs: number;
  /** The time by which the oldest of those events must be sealed, except for those of blocked orgs (RFC 3339). */
  readonly dueAt: string;
}

export interface SealingLag extends Omit<SealingState, 'dueAt'> {
  /** How long ago an event should have been sealed that is not, by the database's clock. It is 0 if none is late. */
  readonly seconds: number;
}

/**
 * Reads how far the sealer is behind. The lag also grows while no sealer runs. Returns null if nothing has ever been
 * sealed.
 */
export async function readSealingLag(db: Db): Promise<SealingLag | null> {
  const [row] = await run<{ value: string; now: Date }>(
    db,
    'select value, clock_timestamp() as now from installation where name = $1',
    [SEALING_FACT],
  );
  if (row === undefined) return null;
  const { blockedOrgs, dueAt, unsealed } = JSON.parse(row.value) as SealingState;
  return { blockedOrgs, unsealed, seconds: Math.max(0, (row.now.getTime() - Date.parse(dueAt)) / 1_000) };
}
