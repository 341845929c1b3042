/** Whose turn an item takes: turns go round the orgs, and inside one org round its clients' address prefixes. */
export interface FairnessKey {
  readonly orgId: string;
  readonly addressPrefix: string;
}

interface Waiting<Item> {
  readonly item: Item;
  readonly cost: number;
}
interface Lane<Item> {
  cost: number;
  readonly waiting: Waiting<Item>[];
}
interface Group<Item> {
  cost: number;
  readonly lanes: Map<string, Lane<Item>>;
}

/** The costliest entry; on a tie the preferred one, so that a newcomer never pushes out its equal. */
function heaviest<Value extends { cost: number }>(map: ReadonlyMap<string, Value>, preferred: string): string {
  let chosen = preferred;
  let most = map.get(preferred)?.cost ?? 0;
  for (const [key, { cost }] of map) {
    if (cost > most) [chosen, most] = [key, cost];
  }
  return chosen;
}

/** A queue in which a flood from one org, or from one address prefix, only makes itself wait. Costs in milliseconds. */
export class FairQueue<Item> {
  readonly #groups = new Map<string, Group<Item>>();
  #cost = 0;
  #length = 0;

  /** Sum of what waits. */
  get cost(): number {
    return this.#cost;
  }

  get length(): number {
    return this.#length;
  }

  push(key: FairnessKey, item: Item, cost: number): void {
    const group = this.#groups.get(key.orgId) ?? { cost: 0, lanes: new Map() };
    const lane = group.lanes.get(key.addressPrefix) ?? { cost: 0, waiting: [] };
    lane.waiting.push({ item, cost });
    this.#groups.set(key.orgId, group);
    group.lanes.set(key.addressPrefix, lane);
    this.#account(group, lane, cost, 1);
  }

  /** The next item; its org and its prefix go to the end of their rounds. */
  shift(): Item | undefined {
    for (const [orgId, group] of this.#groups) {
      for (const [prefix, lane] of group.lanes) {
        const taken = lane.waiting.shift();
        if (taken === undefined) continue;
        this.#account(group, lane, -taken.cost, -1);
        this.#groups.delete(orgId);
        group.lanes.delete(prefix);
        if (lane.waiting.length > 0) group.lanes.set(prefix, lane);
        if (group.lanes.size > 0) this.#groups.set(orgId, group);
        return taken.item;
      }
    }
    return undefined;
  }

  /** Takes out the newest item of the costliest prefix of the costliest org; `newcomer` loses ties. */
  pushOut(newcomer: FairnessKey): Item | undefined {
    const orgId = heaviest(this.#groups, newcomer.orgId);
    const group = this.#groups.get(orgId);
    if (group === undefined) return undefined;
    const prefix = heaviest(group.lanes, newcomer.addressPrefix);
    const lane = group.lanes.get(prefix);
    const taken = lane?.waiting.pop();
    if (lane === undefined || taken === undefined) return undefined;
    this.#account(group, lane, -taken.cost, -1);
    if (lane.waiting.length === 0) group.lanes.delete(prefix);
    if (group.lanes.size === 0) this.#groups.delete(orgId);
    return taken.item;
  }

  #account(group: Group<Item>, lane: Lane<Item>, cost: number, count: number): void {
    lane.cost += cost;
    group.cost += cost;
    this.#length += count;
    // Sums of fractions drift; an empty queue is the moment to forget it.
    this.#cost = this.#length === 0 ? 0 : this.#cost + cost;
  }
}
