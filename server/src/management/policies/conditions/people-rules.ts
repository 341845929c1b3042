import type { Members } from '../../../kernel/words/members.ts';
import { mapped, object, references, type Shape } from '../types/document-rules.ts';

/** Of each list that a condition may name. */
export const MAXIMUM_PEOPLE = 100;

export interface IdChoices {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

export const NO_CHOICE: IdChoices = { include: [], exclude: [] };

/** Who a rule or a policy is for. An empty `include` is everyone; what is gone since matches nobody. */
export interface PeopleCondition {
  readonly users: IdChoices;
  readonly groups: IdChoices;
}

const choices = (kind: 'user' | 'group' | 'userType') =>
  object({ include: references(kind, MAXIMUM_PEOPLE), exclude: references(kind, MAXIMUM_PEOPLE) });

/** `people.users` as recorded: `include` is printed only where it says something. */
const userChoices: Shape<IdChoices> = {
  ...choices('user'),
  write: ({ exclude, include }): Members => (include.length > 0 ? { include, exclude } : { exclude }),
};

const groupChoices: Shape<IdChoices> = {
  ...choices('group'),
  write: ({ exclude, include }): Members | undefined =>
    include.length + exclude.length > 0 ? { include, exclude } : undefined,
};

/** `conditions.people` of a rule. */
export const peopleShape: Shape<PeopleCondition> = object({
  users: userChoices,
  groups: groupChoices,
});

/** `conditions.userType`, printed whole. */
export const userTypesShape: Shape<IdChoices> = choices('userType');

const included: Shape<IdChoices> = {
  ...choices('group'),
  write: ({ exclude, include }): Members => (exclude.length > 0 ? { include, exclude } : { include }),
};

/** `conditions.people` of a policy: its groups alone. */
export const policyGroupsShape: Shape<IdChoices> = mapped(
  object({ groups: included }),
  ({ groups: chosen }) => chosen,
  (chosen) => ({ groups: chosen }),
);

/** Whether someone in these groups is meant. */
export function holdsForGroups({ exclude, include }: IdChoices, groups: ReadonlySet<string>): boolean {
  const isIn = (id: string): boolean => groups.has(id);
  return (include.length === 0 || include.some(isIn)) && !exclude.some(isIn);
}

/** Whether this user is meant; null: one who is only being made. */
export function holdsForUser({ exclude, include }: IdChoices, userId: string | null): boolean {
  if (userId === null) return include.length === 0;
  return (include.length === 0 || include.includes(userId)) && !exclude.includes(userId);
}

/** Whether it matters in which groups someone is. */
export const asksGroups = ({ exclude, include }: IdChoices): boolean => include.length + exclude.length > 0;
