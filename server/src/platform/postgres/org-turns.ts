import type { OrgId } from '../../kernel/words/ids.ts';
import { unavailable } from './connections/failures.ts';

/** The maximum number of an org's items that wait to be served. */
const MAXIMUM_WAITING = 1_000;
/** The maximum number of waiting items with one key, because they are served one by one. Others must find room. */
const MAXIMUM_WAITING_WITH_ONE_KEY = 100;
/** The maximum time that an item waits to be served. */
const MAXIMUM_WAIT_MILLISECONDS = 5_000;

interface Refusable {
  readonly reject: (error: unknown) => void;
}

export interface OrgTurnsOptions<Item extends Refusable> {
  /** The maximum number of items that are served together. It bounds how long they hold a connection. */
  readonly maximumItems: number;
  readonly maximumUnderWay: number;
  /** Items of an org with the same key are never served at the same time. By default, items have no keys. */
  readonly keyOf?: (item: Item) => string;
  /** Serves items of one org, and resolves or rejects each of them. This function must not reject. */
  readonly serve: (orgId: OrgId, items: readonly Item[]) => Promise<void>;
}

interface Waiting<Item> {
  readonly item: Item;
  readonly since: number;
}

interface OrgTurn<Item> {
  readonly waiting: Waiting<Item>[];
  readonly busy: Set<string>;
  underWay: number;
  isScheduled: boolean;
  /** The timer refuses the items that have waited too long. It is set when an item has to wait for a turn to end. */
  timer: NodeJS.Timeout | null;
}

/** Takes the items of the next turn, in order, except those whose key is being served. */
function take<Item>({ busy, waiting }: OrgTurn<Item>, maximum: number, keyOf?: (item: Item) => string): Item[] {
  if (keyOf === undefined) return waiting.splice(0, maximum).map(({ item }) => item);
  const taken: Item[] = [];
  const left: Waiting<Item>[] = [];
  for (const one of waiting) {
    const key = keyOf(one.item);
    if (taken.length === maximum || busy.has(key)) left.push(one);
    else {
      busy.add(key);
      taken.push(one.item);
    }
  }
  waiting.splice(0, waiting.length, ...left);
  return taken;
}

/** Returns whether another item may wait. */
function hasRoom<Item>({ waiting }: OrgTurn<Item>, item: Item, keyOf?: (item: Item) => string): boolean {
  if (waiting.length >= MAXIMUM_WAITING) return false;
  if (keyOf === undefined || waiting.length < MAXIMUM_WAITING_WITH_ONE_KEY) return true;
  const key = keyOf(item);
  return waiting.filter((one) => keyOf(one.item) === key).length < MAXIMUM_WAITING_WITH_ONE_KEY;
}

/**
 * Creates a function that queues an item of an org. Items that arrive together are served together. An item is rejected
 * with 503 if too many wait, of the org or with its key, or if it waits too long.
 */
export function createOrgTurns<Item extends Refusable>(
  options: OrgTurnsOptions<Item>,
): (orgId: OrgId, item: Item) => void {
  const { keyOf, maximumItems, maximumUnderWay, serve } = options;
  const orgs = new Map<OrgId, OrgTurn<Item>>();

  function refuseOverdue(org: OrgTurn<Item>): void {
    org.timer = null;
    const overdue = performance.now() - MAXIMUM_WAIT_MILLISECONDS;
    while ((org.waiting[0]?.since ?? Number.POSITIVE_INFINITY) <= overdue)
      org.waiting.shift()?.item.reject(unavailable());
    watch(org);
  }

  function watch(org: OrgTurn<Item>): void {
    const [first] = org.waiting;
    if (first === undefined || org.timer !== null) return;
    const left = first.since + MAXIMUM_WAIT_MILLISECONDS - performance.now();
    org.timer = setTimeout(() => refuseOverdue(org), Math.max(0, Math.ceil(left)));
    org.timer.unref();
  }

  function begin(orgId: OrgId, org: OrgTurn<Item>): void {
    org.isScheduled = false;
    while (org.waiting.length > 0 && org.underWay < maximumUnderWay) {
      const items = take(org, maximumItems, keyOf);
      if (items.length === 0) break;
      org.underWay += 1;
      void serve(orgId, items).then(() => {
        org.underWay -= 1;
        if (keyOf !== undefined) for (const item of items) org.busy.delete(keyOf(item));
        if (org.waiting.length > 0) begin(orgId, org);
        else if (org.underWay === 0 && !org.isScheduled) orgs.delete(orgId);
      });
    }
    watch(org);
  }

  return (orgId, item) => {
    const org = orgs.get(orgId) ?? { waiting: [], busy: new Set(), underWay: 0, isScheduled: false, timer: null };
    orgs.set(orgId, org);
    if (!hasRoom(org, item, keyOf)) {
      item.reject(unavailable());
      return;
    }
    org.waiting.push({ item, since: performance.now() });
    if (org.isScheduled) return;
    if (org.underWay >= maximumUnderWay) {
      watch(org);
      return;
    }
    org.isScheduled = true;
    // Requests that arrive together are read from their sockets before this runs, so they are served together.
    setImmediate(() => begin(orgId, org));
  };
}
