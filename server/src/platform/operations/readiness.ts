import { type Db, failureCode, isUnavailable } from '../postgres/index.ts';
import { commitNothing, probeDisk, readLogBacklog, readSchemaVersion } from './cross-org-store.ts';
import { within } from './within.ts';

/** Returns null if all is well, otherwise a short description of the problem. */
export type Check = () => Promise<string | null>;

export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, string>>;
}

const PATIENCE_MILLISECONDS = 2_000;
/** If an event has waited for longer than this, the relay counts as stuck. */
const RELAY_PATIENCE_SECONDS = 60;

const DISK_FULL = '53100';
/** The code of a commit that no standby has confirmed. */
const OUTCOME_UNKNOWN = '40003';

/** `schemaVersion` is the lowest version that passes. */
export function databaseChecks(db: Db, schemaVersion: number): Readonly<Record<string, Check>> {
  return {
    async database() {
      const found = await readSchemaVersion(db);
      // This build also works with a newer schema, because migrations expand the schema before they contract it.
      return found >= schemaVersion ? null : `schema version ${found}, needed ${schemaVersion}`;
    },
    async disk() {
      try {
        await probeDisk(db);
        return null;
      } catch (error) {
        if (failureCode(error) === DISK_FULL) return 'is full';
        throw error;
      }
    },
    async standby() {
      try {
        await commitNothing(db);
        return null;
      } catch (error) {
        if (failureCode(error) === OUTCOME_UNKNOWN) return 'changes wait for a standby';
        throw error;
      }
    },
    async relay() {
      const { oldestSeconds } = await readLogBacklog(db);
      return oldestSeconds <= RELAY_PATIENCE_SECONDS ? null : 'events wait for the relay';
    },
  };
}

async function answer(check: Check): Promise<string> {
  try {
    return (await within(PATIENCE_MILLISECONDS, check())) ?? 'ok';
  } catch (error) {
    return isUnavailable(error) ? 'unreachable' : 'no answer';
  }
}

export async function assess(checks: Readonly<Record<string, Check>>): Promise<Readiness> {
  const answers = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await answer(check)] as const),
  );
  return { ready: answers.every(([, text]) => text === 'ok'), checks: Object.fromEntries(answers) };
}
