import type { Tx } from './connections/database.ts';
import { type Sharing, sendChanges, sharingOf } from './transaction-session.ts';

/** This error ends a use case that runs in a shared transaction but needs a transaction of its own. */
export class OwnTransactionNeeded extends Error {}

interface Call {
  readonly number: number;
  readonly add: (input: unknown) => void;
  readonly start: () => void;
  readonly result: Promise<unknown>;
}

const ignored = (): undefined => undefined;

/**
 * A gathering collects the calls that the use cases of a shared transaction make at the same moment. Calls with the
 * same name become one call.
 */
export class Gathering implements Sharing {
  /** The number of use cases that share the transaction. */
  readonly size: number;
  readonly #tx: Tx;
  readonly #calls = new Map<string, Call>();
  readonly #last = new Map<Tx, number>();
  #made = 0;

  constructor(tx: Tx, size: number) {
    this.#tx = tx;
    this.size = size;
  }

  /** The calls of a use case start in the order in which it makes them. */
  call<Input, Result>(tx: Tx, name: string, input: Input, run: GatheredCall<Input, Result>): Promise<Result> {
    const pending = this.#calls.get(name);
    const isEarlier = pending !== undefined && pending.number < (this.#last.get(tx) ?? 0);
    if (isEarlier) this.startCalls();
    const call = this.#calls.get(name) ?? this.#newCall(name, run);
    this.#last.set(tx, call.number);
    call.add(input);
    return call.result as Promise<Result>;
  }

  #newCall<Input, Result>(name: string, run: GatheredCall<Input, Result>): Call {
    const inputs: Input[] = [];
    let resolve: (result: Promise<Result>) => void = ignored;
    const result = new Promise<Result>((settle) => {
      resolve = settle;
    });
    // A use case may end without awaiting a result. An unhandled rejection would end the process.
    result.catch(ignored);
    this.#made += 1;
    const call: Call = {
      number: this.#made,
      add: (input) => inputs.push(input as Input),
      // An exception must reject the result, because nothing else would report it to the use cases.
      start: () => resolve(new Promise((done) => done(run(this.#tx, inputs)))),
      result,
    };
    if (this.#calls.size === 0) queueMicrotask(() => this.startCalls());
    this.#calls.set(name, call);
    return call;
  }

  /** No statement of a use case overtakes the calls that all of them make together, such as locks. */
  beforeSending(): void {
    this.startCalls();
  }

  /** Starts the calls that were made until now, in order. */
  startCalls(): void {
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const { start } of calls) start();
  }
}

export type GatheredCall<Input, Result> = (tx: Tx, inputs: readonly Input[]) => Promise<Result>;

function gatheringOf(tx: Tx): Gathering | null {
  const sharing = sharingOf(tx);
  return sharing instanceof Gathering ? sharing : null;
}

/** Returns whether other use cases may run in the same transaction. */
export const isShared = (tx: Tx): boolean => gatheringOf(tx) !== null;

/**
 * Returns whether a shared transaction has only one use case. That use case may assume what it has read and need not
 * wait for a lock (see `assumed`): if the assumption is wrong, it runs again in a transaction of its own.
 */
export const isAloneInShared = (tx: Tx): boolean => gatheringOf(tx)?.size === 1;

/**
 * Ends a use case that runs in a shared transaction, so that it runs again in a transaction of its own. Call this
 * before a statement that may wait for other transactions, because all use cases of the shared one would wait.
 */
export function needOwnTransaction(tx: Tx): void {
  if (isShared(tx)) throw new OwnTransactionNeeded('the use case needs a transaction of its own');
}

/**
 * Makes one call for all use cases of a shared transaction that ask for `name` at the same moment. All get the same
 * result, and `run` must be the same function for the same name. If the call changes something, each use case that it
 * changed something for must call `noteChange` as soon as it has the result.
 */
export const together = <Input, Result>(
  tx: Tx,
  name: string,
  input: Input,
  run: GatheredCall<Input, Result>,
): Promise<Result> => {
  const gathering = gatheringOf(tx);
  if (gathering === null) return run(tx, [input]);
  // The call may read what this use case has changed.
  sendChanges(tx);
  return gathering.call(tx, name, input, run);
};
