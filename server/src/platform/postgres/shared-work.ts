import type { Context } from '../../kernel/context.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import { asApiError, outcomeUnknown } from './connections/failures.ts';
import type { Statement } from './connections/statements.ts';
import { TransactionPackets } from './connections/transaction-packets.ts';
import { createOrgTurns } from './org-turns.ts';
import { Gathering, OwnTransactionNeeded } from './shared-transaction.ts';
import { Session } from './transaction-session.ts';
import {
  MAXIMUM_EVENTS_PER_INSERT,
  type RecordEvent,
  type Recorded,
  react,
  refuseLate,
  type UnitOfWork,
  type UnitOfWorkOptions,
} from './unit-of-work.ts';

const MAXIMUM_MEMBERS = 16;
/** The maximum number of shared transactions that a process runs for one org at the same time. */
const MAXIMUM_TRANSACTIONS = 2;

/**
 * Runs a use case like a unit of work, but possibly in one transaction with use cases of other requests of the org.
 * Use cases with the same `key`, such as changes to one user, do not run together.
 */
export type SharedWork<Event> = <Result>(
  context: Context,
  key: string,
  run: (tx: Tx, record: RecordEvent<Event>) => Promise<Result>,
) => Promise<Result>;

type Tx = Session['tx'];

interface Member<Event> {
  readonly context: Context;
  readonly key: string;
  readonly run: (tx: Tx, record: RecordEvent<Event>) => Promise<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

class Run<Event extends { eventType: string }> {
  readonly member: Member<Event>;
  readonly session: Session;
  readonly recorded: Event[] = [];
  readonly #outcome: Promise<PromiseSettledResult<unknown>>;

  constructor(options: UnitOfWorkOptions<Event>, member: Member<Event>, session: Session) {
    this.member = member;
    this.session = session;
    this.#outcome = Promise.allSettled([this.#start(options)]).then(([outcome]) => outcome);
  }

  async #start(options: UnitOfWorkOptions<Event>): Promise<unknown> {
    const { context, run } = this.member;
    refuseLate(context);
    const result = await run(this.session.tx, (event) => this.recorded.push(event));
    await react(options, this.session.tx, context, this.recorded);
    refuseLate(context, this.session.begunAt);
    if (this.recorded.length > MAXIMUM_EVENTS_PER_INSERT) throw new OwnTransactionNeeded('too many events');
    return result;
  }

  get outcome(): Promise<PromiseSettledResult<unknown>> {
    return this.#outcome;
  }
}

interface Settled<Event extends { eventType: string }> {
  readonly run: Run<Event>;
  readonly outcome: PromiseSettledResult<unknown>;
}

/** This error is thrown when some use cases make a commit of the shared transaction impossible. */
class CulpritsFoundError<Event extends { eventType: string }> extends Error {
  readonly culprits: readonly Member<Event>[];

  constructor(culprits: readonly Member<Event>[]) {
    super('a use case of the shared transaction failed after a change');
    this.culprits = culprits;
  }
}

/**
 * Returns the insert of the events, or null if there are none. Throws CulpritsFoundError if `outbox` refuses the events
 * of some use cases, for example because an event is too large.
 */
function insertOf<Event extends { eventType: string }>(
  { outbox }: UnitOfWorkOptions<Event>,
  done: readonly Run<Event>[],
): Statement | null {
  const recorded = done.flatMap(({ member, recorded: events }) =>
    events.length === 0 ? [] : [{ context: member.context, events, member }],
  );
  if (recorded.length === 0) return null;
  const total = recorded.reduce((sum, { events }) => sum + events.length, 0);
  if (total > MAXIMUM_EVENTS_PER_INSERT) throw new Error('the shared transaction has too many events for one insert');
  try {
    return outbox(recorded);
  } catch (error) {
    const isRefused = (one: Recorded<Event>): boolean => {
      try {
        outbox([one]);
        return false;
      } catch {
        return true;
      }
    };
    const culprits = recorded.filter(isRefused).map(({ member }) => member);
    throw culprits.length === 0 ? error : new CulpritsFoundError(culprits);
  }
}

/** Throws if a statement failed, or if a use case that failed has already changed something. */
async function commit<Event extends { eventType: string }>(
  options: UnitOfWorkOptions<Event>,
  packets: TransactionPackets,
  settled: readonly Settled<Event>[],
): Promise<void> {
  if (packets.hasFailed) throw new Error('a statement of the shared transaction failed');
  const culprits = settled.filter(({ outcome, run }) => outcome.status === 'rejected' && run.session.hasWritten);
  if (culprits.length > 0) throw new CulpritsFoundError(culprits.map(({ run }) => run.member));
  const done = settled.flatMap(({ outcome, run }) => (outcome.status === 'fulfilled' ? [run] : []));
  const insert = insertOf(options, done);
  await Session.commit(
    packets,
    done.map(({ session }) => session),
    insert,
  );
}

/** The members that must run again, because nothing of theirs was committed. */
interface Left<Event> {
  /** They must run in transactions of their own. */
  readonly alone: readonly Member<Event>[];
  /** They may share a transaction again, because others caused the rollback. */
  readonly again: readonly Member<Event>[];
}

/** Tells the members their results after the commit, because a refusal may be due to changes of other members. */
function settle<Event extends { eventType: string }>(
  options: UnitOfWorkOptions<Event>,
  settled: readonly Settled<Event>[],
): Left<Event> {
  const alone: Member<Event>[] = [];
  for (const { outcome, run } of settled) {
    const { member, recorded } = run;
    if (outcome.status === 'fulfilled') {
      try {
        if (recorded.length > 0) options.committed(member.context, recorded);
        member.resolve(outcome.value);
      } catch (error) {
        member.reject(error);
      }
    } else if (outcome.reason instanceof OwnTransactionNeeded) alone.push(member);
    else member.reject(asApiError(outcome.reason, options.constraints));
  }
  return { alone, again: [] };
}

/** Refuses all members, because the commit may have happened. Calls `committed`, so that no cache serves older data. */
function refuseAll<Event extends { eventType: string }>(
  options: UnitOfWorkOptions<Event>,
  settled: readonly Settled<Event>[],
  error: unknown,
): Left<Event> {
  for (const { run } of settled) {
    run.member.reject(outcomeUnknown(error));
    if (run.recorded.length > 0) options.committed(run.member.context, run.recorded);
  }
  return { alone: [], again: [] };
}

async function runTogether<Event extends { eventType: string }>(
  options: UnitOfWorkOptions<Event>,
  members: readonly Member<Event>[],
): Promise<Left<Event>> {
  const client = await options.pool.connect();
  const packets = new TransactionPackets(client);
  const gathering = new Gathering(new Session(packets).tx, members.length);
  let settled: readonly Settled<Event>[] = [];
  let broken: Error | undefined;
  try {
    const runs = members.map((member) => new Run(options, member, new Session(packets, gathering)));
    gathering.startCalls();
    settled = await Promise.all(runs.map(async (run) => ({ run, outcome: await run.outcome })));
    await commit(options, packets, settled);
  } catch (error) {
    await packets.rollback().catch((failure: Error) => {
      broken = failure;
    });
    // If the commit may have happened, a use case that ran again could do its work twice.
    if (packets.mayHaveCommitted) return refuseAll(options, settled, error);
    if (!(error instanceof CulpritsFoundError)) return { alone: members, again: [] };
    const isCulprit = (member: Member<Event>): boolean => error.culprits.includes(member);
    return { alone: members.filter(isCulprit), again: members.filter((member) => !isCulprit(member)) };
  } finally {
    client.release(broken);
  }
  return settle(options, settled);
}

/**
 * Creates the shared work. Simultaneous use cases of an org share one transaction, which saves statements and commits.
 * Each has its own reads, changes and events, and its own errors:
 *
 * - A use case that fails before it has changed anything does not affect the others.
 * - A use case that may wait for other transactions ends early (`needOwnTransaction`), and then runs in `work`.
 * - If a use case fails after a change, everything is rolled back. That use case runs in `work`, and the others run
 *   together once more.
 * - If anything else fails in the transaction, everything is rolled back, and each use case runs in `work`. So each of
 *   them either gets its own error there or succeeds.
 * - If the commit may have happened although an error occurred, each use case fails with 503.
 *
 * A use case may therefore run again, as in a unit of work, and must change nothing outside of `tx`. Within the
 * transaction, it may see changes of the others before they are committed, but its caller gets the result only after
 * the commit.
 */
export function createSharedWork<Event extends { eventType: string }>(
  options: UnitOfWorkOptions<Event>,
  work: UnitOfWork<Event>,
): SharedWork<Event> {
  async function serve(_orgId: OrgId, members: readonly Member<Event>[]): Promise<void> {
    try {
      const first = await runTogether(options, members);
      const second = first.again.length === 0 ? first : await runTogether(options, first.again);
      const alone = first === second ? first.alone : [...first.alone, ...second.alone, ...second.again];
      // The org's next turn does not wait for these use cases, because they may wait for a lock.
      for (const { context, reject, resolve, run } of alone) work(context, run).then(resolve, reject);
    } catch (error) {
      for (const { reject } of members) reject(asApiError(error, options.constraints));
    }
  }
  const queue = createOrgTurns<Member<Event>>({
    maximumItems: MAXIMUM_MEMBERS,
    maximumUnderWay: MAXIMUM_TRANSACTIONS,
    keyOf: ({ key }) => key,
    serve,
  });
  return <Result>(context: Context, key: string, run: (tx: Tx, record: RecordEvent<Event>) => Promise<Result>) =>
    new Promise<Result>((resolve, reject) => {
      const tell = (result: unknown): void => resolve(result as Result);
      queue(context.orgId, { context, key, run, resolve: tell, reject });
    });
}
