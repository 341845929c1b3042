import type { Context } from '../../kernel/context.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import { asApiError } from './connections/failures.ts';
import { TransactionPackets } from './connections/transaction-packets.ts';
import { createOrgTurns } from './org-turns.ts';
import { Gathering, OwnTransactionNeeded, shareTransaction } from './shared-transaction.ts';
import { Session } from './transaction-session.ts';
import {
  MAXIMUM_EVENTS_PER_INSERT,
  type RecordEvent,
  react,
  type UnitOfWork,
  type UnitOfWorkOptions,
} from './unit-of-work.ts';

/** The maximum number of use cases in one transaction. */
const MAXIMUM_MEMBERS = 16;
/** The maximum number of shared transactions of one org at the same time. */
const MAXIMUM_TRANSACTIONS = 2;

/**
 * Runs a use case like a unit of work, but possibly in one transaction with use cases of other requests of the org.
 * `key` names the row that the use case changes. Use cases with the same key do not run together.
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

/** A use case that has run in a shared transaction which has not ended yet. */
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
    const result = await run(this.session.tx, (event) => this.recorded.push(event));
    await react(options, this.session.tx, context, this.recorded);
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

/** Commits the use cases that succeeded. Throws if one of the others has already changed something. */
async function commit<Event extends { eventType: string }>(
  options: UnitOfWorkOptions<Event>,
  packets: TransactionPackets,
  settled: readonly Settled<Event>[],
): Promise<void> {
  const failed = settled.find(({ outcome, run }) => outcome.status === 'rejected' && run.session.hasWritten);
  if (failed?.outcome.status === 'rejected') throw failed.outcome.reason;
  if (packets.hasFailed) throw new Error('a statement of the shared transaction failed');
  const done = settled.flatMap(({ outcome, run }) => (outcome.status === 'fulfilled' ? [run] : []));
  const events = done.flatMap(({ member, recorded }) =>
    recorded.length === 0 ? [] : [options.outbox(member.context, recorded)],
  );
  const sessions = done.map(({ session }) => session);
  await Session.commit(packets, sessions, events);
}

function tellCommitted<Event extends { eventType: string }>(
  options: UnitOfWorkOptions<Event>,
  settled: readonly Settled<Event>[],
): void {
  for (const { outcome, run } of settled) {
    if (outcome.status === 'fulfilled' && run.recorded.length > 0) options.committed(run.member.context, run.recorded);
  }
}

/**
 * Settles the members after the commit. Refusals wait until then, because they may be due to changes of other members.
 * Returns the members that must run in transactions of their own.
 */
function settle<Event extends { eventType: string }>(
  options: UnitOfWorkOptions<Event>,
  settled: readonly Settled<Event>[],
): Member<Event>[] {
  tellCommitted(options, settled);
  const alone: Member<Event>[] = [];
  for (const { outcome, run } of settled) {
    if (outcome.status === 'fulfilled') run.member.resolve(outcome.value);
    else if (outcome.reason instanceof OwnTransactionNeeded) alone.push(run.member);
    else run.member.reject(asApiError(outcome.reason, options.constraints));
  }
  return alone;
}

/** Returns the members of which nothing was committed, and which must run in transactions of their own. */
async function runTogether<Event extends { eventType: string }>(
  options: UnitOfWorkOptions<Event>,
  members: readonly Member<Event>[],
): Promise<readonly Member<Event>[]> {
  const client = await options.pool.connect();
  const packets = new TransactionPackets(client);
  const gathering = new Gathering(new Session(packets).tx);
  let settled: readonly Settled<Event>[] = [];
  let broken: Error | undefined;
  try {
    const runs = members.map((member) => {
      const session = new Session(packets);
      shareTransaction(session.tx, gathering);
      return new Run(options, member, session);
    });
    gathering.startCalls();
    settled = await Promise.all(runs.map(async (run) => ({ run, outcome: await run.outcome })));
    await commit(options, packets, settled);
    return settle(options, settled);
  } catch (error) {
    await packets.rollback().catch((failure: Error) => {
      broken = failure;
    });
    // If the commit may have happened, a use case that ran again could do its work twice.
    const isUncertain = packets.isCommitted || (broken !== undefined && packets.isCommitSent);
    if (!isUncertain) return members;
    tellCommitted(options, settled);
    for (const { reject } of members) reject(asApiError(error, options.constraints));
    return [];
  } finally {
    client.release(broken);
  }
}

/**
 * Creates the shared work. Simultaneous use cases of an org share one transaction, which saves statements and commits.
 * Each has its own reads, changes and events, and its own errors:
 *
 * - A use case that fails before it has changed anything leaves the others alone.
 * - A use case that may wait for other transactions leaves (`needOwnTransaction`), and then runs in `work`.
 * - If anything else fails, everything is rolled back, and each use case runs in `work`. So each of them either gets
 *   its own error there or succeeds.
 *
 * A use case may therefore run again, as in a unit of work, and must change nothing outside of `tx`. Within the
 * transaction, it may see changes of the others before they are committed, but its result is told only after the
 * commit. Rejects with 503 E0000181 if too many use cases of the org wait, or if one waits too long.
 */
export function createSharedWork<Event extends { eventType: string }>(
  options: UnitOfWorkOptions<Event>,
  work: UnitOfWork<Event>,
): SharedWork<Event> {
  async function serve(_orgId: OrgId, members: readonly Member<Event>[]): Promise<void> {
    try {
      const alone = await runTogether(options, members);
      // They do not hold up the org's next turn, because they may wait for a lock.
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
