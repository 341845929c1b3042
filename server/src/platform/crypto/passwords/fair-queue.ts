/** The owner of an item. Turns rotate among the orgs and, within an org, among its clients' address prefixes. */
export interface FairnessKey {
  readonly orgId: string;
  readonly addressPrefix: string;
}

/**
 * The party that chose a hash's cost: this service (`own`), or somebody whom other orgs need not trust (`imported`).
 */
export type Origin = 'own' | 'imported';
export const ORIGINS: readonly Origin[] = ['own', 'imported'];

interface Waiting<Item> {
  readonly item: Item;
  readonly cost: number;
  readonly sequence: number;
}
/**
 * `served` is the virtual time, in milliseconds of work, up to which a member has used its share. All members of the
 * same `Turns` share one clock.
 */
interface Flow {
  served: number;
  readonly counts: Record<Origin, number>;
  readonly costs: Record<Origin, number>;
}
interface Lane<Item> extends Flow {
  readonly waiting: Record<Origin, Waiting<Item>[]>;
}
interface Group<Item> extends Flow {
  readonly lanes: Turns<Lane<Item>>;
}
interface Turns<Member extends Flow> {
  clock: number;
  readonly members: Map<string, Member>;
}

/** Above this number of members, all idle members are forgotten, together with the time that they have used. */
const MAXIMUM_REMEMBERED = 1_000;

const newTurns = <Member extends Flow>(): Turns<Member> => ({ clock: 0, members: new Map() });
const newFlow = (): Flow => ({ served: 0, counts: { own: 0, imported: 0 }, costs: { own: 0, imported: 0 } });
const sumOf = (numbers: Flow['costs'], origins: readonly Origin[]): number =>
  origins.reduce((sum, origin) => sum + numbers[origin], 0);

/** Returns the costliest member or, in a tie, the preferred one, so that a newcomer never pushes out an equal. */
function heaviest(members: ReadonlyMap<string, Flow>, preferred: string, origins: readonly Origin[]): string {
  let chosen = preferred;
  const known = members.get(preferred);
  let most = known === undefined ? 0 : sumOf(known.costs, origins);
  for (const [key, flow] of members) {
    const cost = sumOf(flow.costs, origins);
    if (cost > most) [chosen, most] = [key, cost];
  }
  return chosen;
}

/**
 * Picks the waiting member that was served least. A member that was idle gets no credit, but starts level with the
 * others.
 */
function leastServed<Member extends Flow>(
  { clock, members }: Turns<Member>,
  origins: readonly Origin[],
): [string, Member] | undefined {
  let chosen: [string, Member] | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const entry of members) {
    if (sumOf(entry[1].counts, origins) === 0) continue;
    const from = Math.max(clock, entry[1].served);
    if (from < least) [chosen, least] = [entry, from];
  }
  return chosen;
}

/** Charges a taken item to its member, and moves the member to the end of the map, so that it loses ties. */
function serve<Member extends Flow>(turns: Turns<Member>, key: string, member: Member, cost: number): void {
  turns.clock = Math.max(turns.clock, member.served);
  member.served = turns.clock + cost;
  turns.members.delete(key);
  turns.members.set(key, member);
}

/**
 * Forgets idle members that are not ahead of the others. If there are too many members, forgets all idle ones, so that
 * invented keys cannot fill the memory.
 */
function forget<Member extends Flow>(turns: Turns<Member>): void {
  const isCrowded = turns.members.size > MAXIMUM_REMEMBERED;
  for (const [key, member] of turns.members) {
    const isIdle = sumOf(member.counts, ORIGINS) === 0;
    if (isIdle && (isCrowded || member.served <= turns.clock)) turns.members.delete(key);
  }
}

const oldestOf = <Item>({ waiting }: Lane<Item>, origins: readonly Origin[]): Origin | undefined =>
  origins
    .filter((origin) => waiting[origin].length > 0)
    .toSorted((one, other) => (waiting[one][0]?.sequence ?? 0) - (waiting[other][0]?.sequence ?? 0))[0];

const newestOf = <Item>({ waiting }: Lane<Item>, origins: readonly Origin[]): Origin | undefined =>
  origins
    .filter((origin) => waiting[origin].length > 0)
    .toSorted((one, other) => (waiting[other].at(-1)?.sequence ?? 0) - (waiting[one].at(-1)?.sequence ?? 0))[0];

/**
 * A queue that takes turns among orgs and, within an org, among address prefixes. It counts milliseconds of work, not
 * items, so that expensive work gets fewer turns.
 */
export class FairQueue<Item> {
  #orgs = newTurns<Group<Item>>();
  readonly #all = newFlow();
  #sequence = 0;
  #taken = 0;

  get length(): number {
    return sumOf(this.#all.counts, ORIGINS);
  }

  cost(origins: readonly Origin[] = ORIGINS): number {
    return sumOf(this.#all.costs, origins);
  }

  push({ addressPrefix, orgId }: FairnessKey, item: Item, cost: number, origin: Origin): void {
    const group = this.#orgs.members.get(orgId) ?? { ...newFlow(), lanes: newTurns<Lane<Item>>() };
    const lane = group.lanes.members.get(addressPrefix) ?? { ...newFlow(), waiting: { own: [], imported: [] } };
    this.#sequence += 1;
    lane.waiting[origin].push({ item, cost, sequence: this.#sequence });
    this.#orgs.members.set(orgId, group);
    group.lanes.members.set(addressPrefix, lane);
    this.#account(group, lane, origin, cost, 1);
  }

  shift(origins: readonly Origin[] = ORIGINS): Item | undefined {
    const [orgId, group] = leastServed(this.#orgs, origins) ?? [];
    if (orgId === undefined || group === undefined) return undefined;
    const [prefix, lane] = leastServed(group.lanes, origins) ?? [];
    const origin = lane === undefined ? undefined : oldestOf(lane, origins);
    if (prefix === undefined || lane === undefined || origin === undefined) return undefined;
    const taken = lane.waiting[origin].shift();
    if (taken === undefined) return undefined;
    this.#account(group, lane, origin, -taken.cost, -1);
    this.#taken += 1;
    serve(this.#orgs, orgId, group, taken.cost);
    serve(group.lanes, prefix, lane, taken.cost);
    forget(group.lanes);
    forget(this.#orgs);
    return taken.item;
  }

  /** Reports that a taken item is finished. `difference` is the actual minus the expected time, in milliseconds. */
  settle({ addressPrefix, orgId }: FairnessKey, difference: number): void {
    this.#taken -= 1;
    const group = this.#orgs.members.get(orgId);
    const lane = group?.lanes.members.get(addressPrefix);
    if (group !== undefined) group.served += difference;
    if (lane !== undefined) lane.served += difference;
    // When no item is waiting or running, nobody delays anybody, so all shares are reset.
    if (this.#taken === 0 && this.length === 0) this.#orgs = newTurns();
  }

  /** Takes out the newest item of the costliest prefix of the costliest org. In a tie, this is `newcomer`'s. */
  pushOut(newcomer: FairnessKey, origins: readonly Origin[] = ORIGINS): Item | undefined {
    const group = this.#orgs.members.get(heaviest(this.#orgs.members, newcomer.orgId, origins));
    if (group === undefined) return undefined;
    const lane = group.lanes.members.get(heaviest(group.lanes.members, newcomer.addressPrefix, origins));
    if (lane === undefined) return undefined;
    const origin = newestOf(lane, origins);
    const taken = origin === undefined ? undefined : lane.waiting[origin].pop();
    if (origin === undefined || taken === undefined) return undefined;
    this.#account(group, lane, origin, -taken.cost, -1);
    return taken.item;
  }

  #account(group: Group<Item>, lane: Lane<Item>, origin: Origin, cost: number, count: number): void {
    for (const { costs, counts } of [lane, group, this.#all]) {
      counts[origin] += count;
      // Sums of fractions become inexact, so the sum is reset when nothing waits.
      costs[origin] = counts[origin] === 0 ? 0 : costs[origin] + cost;
    }
  }
}
