import * as fc from 'fast-check';

export const GROUPS = 4;
/** At first, the last group has this name. Renames can take the name away from a group and give it to another one. */
export const SPECIAL = 'Special';

export interface Profile {
  readonly department?: string | undefined;
  readonly city?: string | undefined;
  readonly costCenter?: string | undefined;
}

interface Seen {
  readonly profile: Profile;
  readonly groups: ReadonlySet<number>;
  readonly names: ReadonlyMap<number, string>;
}

/** A condition in two forms: as an expression over group ids, and as plain code over group numbers. */
export interface Condition {
  readonly text: (groupIds: readonly string[]) => string;
  readonly holds: (seen: Seen) => boolean;
  readonly asksGroups: boolean;
}

const condition = (text: Condition['text'], holds: Condition['holds'], asksGroups = false): Condition => ({
  text,
  holds,
  asksGroups,
});

const DEPARTMENTS = ['Sales', 'Légal'] as const;
const CITIES = ['Paris', 'paris', 'Rome'] as const;

const ofProfiles = fc.oneof(
  fc.constantFrom(...DEPARTMENTS).map((name) =>
    condition(
      () => `user.department == "${name}"`,
      ({ profile }) => profile.department === name,
    ),
  ),
  fc.constant(
    condition(
      () => 'user.department == null',
      ({ profile }) => profile.department === undefined,
    ),
  ),
  fc.constant(
    condition(
      () => 'String.startsWith(String.toLowerCase(user.city), "p")',
      ({ profile }) => profile.city?.toLowerCase().startsWith('p') === true,
    ),
  ),
  fc.integer({ min: 1, max: 3 }).map((least) =>
    condition(
      () => `Convert.toInt(user.costCenter) >= ${least}`,
      ({ profile }) => profile.costCenter !== undefined && Number(profile.costCenter) >= least,
    ),
  ),
);
const isMember = (group: number): Condition =>
  condition(
    (ids) => `isMemberOfGroup("${ids[group] ?? ''}")`,
    ({ groups }) => groups.has(group),
    true,
  );
const not = (inner: Condition): Condition =>
  condition(
    (ids) => `!(${inner.text(ids)})`,
    (seen) => !inner.holds(seen),
    inner.asksGroups,
  );
const ofGroups = fc.oneof(
  fc.nat(GROUPS - 1).map(isMember),
  fc.nat(GROUPS - 1).map((group) => not(isMember(group))),
  fc.constant(
    condition(
      () => `isMemberOfGroupName("${SPECIAL}")`,
      ({ groups, names }) => [...groups].some((group) => names.get(group) === SPECIAL),
      true,
    ),
  ),
);
const atoms = fc.oneof(ofProfiles, ofGroups);

export const { conditions } = fc.letrec<{ conditions: Condition }>((tie) => ({
  conditions: fc.oneof(
    { maxDepth: 2 },
    atoms,
    tie('conditions').map(not),
    fc.tuple(fc.constantFrom('&&', 'OR'), tie('conditions'), tie('conditions')).map(([operator, one, other]) =>
      condition(
        (ids) => `(${one.text(ids)} ${operator} ${other.text(ids)})`,
        (seen) => (operator === '&&' ? one.holds(seen) && other.holds(seen) : one.holds(seen) || other.holds(seen)),
        one.asksGroups || other.asksGroups,
      ),
    ),
  ),
}));

export const profiles: fc.Arbitrary<Profile> = fc.record({
  department: fc.constantFrom(undefined, ...DEPARTMENTS),
  city: fc.constantFrom(undefined, ...CITIES),
  costCenter: fc.constantFrom(undefined, '1', '2', '3'),
});

export interface ModelRule {
  readonly id: string;
  readonly groups: readonly number[];
  condition: Condition;
  excludedGroups: ReadonlySet<number>;
  status: 'ACTIVE' | 'INACTIVE' | 'INVALID';
}

export interface ModelUser {
  readonly id: string;
  profile: Profile;
  /** Whether the user is not deactivated. Rules are not evaluated for deactivated users, who keep their memberships. */
  isLive: boolean;
  readonly direct: Set<number>;
  readonly given: Map<ModelRule, ReadonlySet<number>>;
  readonly excludedFrom: Set<ModelRule>;
}

/** A model of group rules in plain code. Its memberships must equal those of the service. */
export class GroupRulesModel {
  users: ModelUser[] = [];
  rules: ModelRule[] = [];
  readonly names = new Map<number, string>();

  groupsOf({ direct, given }: ModelUser): Set<number> {
    return new Set([...direct, ...[...given.values()].flatMap((groups) => [...groups])]);
  }

  addUser(id: string, profile: Profile): void {
    const user: ModelUser = {
      id,
      profile,
      isLive: true,
      direct: new Set(),
      given: new Map(),
      excludedFrom: new Set(),
    };
    this.users.push(user);
  }

  /** Discards the results of active rules for live users, and evaluates these rules again. */
  settle(): void {
    for (const user of this.users) if (user.isLive) this.#judge(user);
  }

  #judge(user: ModelUser): void {
    const active = this.rules.filter(({ status }) => status === 'ACTIVE');
    for (const rule of active) user.given.delete(rule);
    const round = (rules: readonly ModelRule[]): boolean => {
      const groups = this.groupsOf(user);
      const seen = { profile: user.profile, groups, names: this.names };
      const holding = rules.filter(
        (rule) =>
          !user.given.has(rule) &&
          !user.excludedFrom.has(rule) &&
          [...rule.excludedGroups].every((group) => !groups.has(group)) &&
          rule.condition.holds(seen),
      );
      for (const rule of holding) user.given.set(rule, new Set(rule.groups));
      return holding.length > 0;
    };
    const isFree = (rule: ModelRule): boolean => !rule.condition.asksGroups && rule.excludedGroups.size === 0;
    round(active.filter(isFree));
    while (round(active.filter((rule) => !isFree(rule))));
  }

  /** Removes a user from a group by hand. Rules that assign the group to the user exclude the user from then on. */
  leave(user: ModelUser, group: number): void {
    user.direct.delete(group);
    for (const [rule, groups] of user.given) {
      if (!groups.has(group)) continue;
      if (this.rules.includes(rule)) user.excludedFrom.add(rule);
      user.given.set(rule, new Set([...groups].filter((one) => one !== group)));
    }
  }

  deleteRule(rule: ModelRule, removeUsers: boolean): void {
    this.rules = this.rules.filter((one) => one !== rule);
    for (const user of this.users) {
      if (!removeUsers) for (const group of user.given.get(rule) ?? []) user.direct.add(group);
      user.given.delete(rule);
    }
  }

  /** Deletes a group. Rules that assign it become INVALID, and rules no longer exclude its members. */
  deleteGroup(group: number): void {
    this.names.delete(group);
    for (const user of this.users) {
      user.direct.delete(group);
      for (const [rule, groups] of user.given)
        user.given.set(rule, new Set([...groups].filter((one) => one !== group)));
    }
    for (const rule of this.rules) {
      rule.excludedGroups = new Set([...rule.excludedGroups].filter((one) => one !== group));
      if (rule.groups.includes(group)) rule.status = 'INVALID';
    }
  }
}
