import type { Look, SentCall } from './call.ts';
import type { CallLog, Transaction } from './call-log.ts';

/** The events of each operation. Each string in a set lists the event types of one outcome. */
export type Patterns = ReadonlyMap<string, ReadonlySet<string>>;

export const patternOf = ({ eventTypes }: Transaction): string => eventTypes.join(' ');

/** Events that record only that the log or a client secret was read. */
const NOT_OF_CALLS = /^(system\.log\.read|app\.oauth2\.client\.read_client_secret)/;

const describe = ({ call }: SentCall): string => `${call.operation} ${call.method} ${call.path} (${call.mark})`;

/** Checks that each acknowledged call has all its events under its request id. */
export function acknowledgedFaults(sent: readonly SentCall[], log: CallLog, patterns: Patterns): string[] {
  return sent.flatMap((one) => {
    const found = log.transactions.get(one.requestId ?? '');
    const pattern = found === undefined ? '' : patternOf(found);
    const known = patterns.get(one.call.operation);
    if (known === undefined) return [`${describe(one)}: was not learned`];
    return known.has(pattern) ? [] : [`${describe(one)}: acknowledged, and the log has [${pattern}]`];
  });
}

/** Returns the unanswered requests in the log that could be this call. */
const candidates = ({ call }: SentCall, unclaimed: ReadonlySet<Transaction>, patterns: Patterns): Transaction[] =>
  [...unclaimed].filter(
    (one) => one.text.includes(call.mark) && patterns.get(call.operation)?.has(patternOf(one)) === true,
  );

/**
 * Checks that each unanswered call has both its effect and its events, or neither, unless its operation may cause no
 * events. Events without a call are faults.
 */
export async function lostFaults(
  sent: { readonly lost: readonly SentCall[]; readonly answered: ReadonlySet<string> },
  log: CallLog,
  patterns: Patterns,
  look: Look,
): Promise<{ faults: string[]; happened: ReadonlySet<SentCall> }> {
  const faults: string[] = [];
  const happened = new Set<SentCall>();
  const unclaimed = new Set(
    [...log.transactions.values()].filter(
      (one) => !sent.answered.has(one.id) && one.eventTypes.some((type) => !NOT_OF_CALLS.test(type)),
    ),
  );
  for (const one of sent.lost) {
    const found = candidates(one, unclaimed, patterns);
    for (const transaction of found) unclaimed.delete(transaction);
    const silent = patterns.get(one.call.operation)?.has('') === true;
    const isThere = one.call.isThere === null ? found.length > 0 : await one.call.isThere(look);
    if (isThere) happened.add(one);
    if (found.length > 1) faults.push(`${describe(one)}: happened ${found.length} times`);
    else if (!silent && isThere !== (found.length === 1)) {
      faults.push(`${describe(one)}: ${isThere ? 'there without' : 'absent with'} its events`);
    }
  }
  for (const rest of unclaimed) faults.push(`request ${rest.id}: [${patternOf(rest)}] belongs to no call`);
  return { faults, happened };
}

export async function stateFaults(last: readonly SentCall[], look: Look): Promise<string[]> {
  const faults: string[] = [];
  for (const one of last) {
    if (one.call.isThere !== null && !(await one.call.isThere(look))) faults.push(`${describe(one)}: is not there`);
  }
  return faults;
}
