import type { Members } from '../../../kernel/words/members.ts';
import { mapped, object, references, type Shape } from '../types/document-rules.ts';

export const MAXIMUM_PEOPLE = 100;

export interface IdChoices {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

export const NO_CHOICE: IdChoices = { include: [], exclude: [] };

/** An empty `include` means everyone. Deleted users and groups match nobody. */
export interface PeopleCondition {
  readonly users: IdChoices;
  readonly groups: IdChoices;
}

const choices = (kind: 'user' | 'group' | 'userType') =>
  object({ include: references(kind, MAXIMUM_PEOPLE), exclude: references(kind, MAXIMUM_PEOPLE) });

const userChoices: Shape<IdChoices> = {
  ...choices('user'),
  write: ({ exclude, include }): Members => (include.length > 0 ? { include, exclude } : { exclude }),
};

const groupChoices: Shape<IdChoices> = {
  ...choices('group'),
  write: ({ exclude, include }): Members | undefined =>
    include.length + exclude.length > 0 ? { include, exclude } : undefined,
};

export const peopleShape: Shape<PeopleCondition> = object({
  users: userChoices,
  groups: groupChoices,
});

/** The API shows both lists even if they are empty. */
export const userTypesShape: Shape<IdChoices> = choices('userType');

const included: Shape<IdChoices> = {
  ...choices('group'),
  write: ({ exclude, include }): Members => (exclude.length > 0 ? { include, exclude } : { include }),
};

export const policyGroupsShape: Shape<IdChoices> = mapped(
  object({ groups: included }),
  ({ groups: chosen }) => chosen,
  (chosen) => ({ groups: chosen }),
);

export function holdsForGroups({ exclude, include }: IdChoices, groups: ReadonlySet<string>): boolean {
  const isIn = (id: string): boolean => groups.has(id);
  return (include.length === 0 || include.some(isIn)) && !exclude.some(isIn);
}

/** `userId` is null for a user who is unknown or is being created. */
export function holdsForUser({ exclude, include }: IdChoices, userId: string | null): boolean {
  if (userId === null) return include.length === 0;
  return (include.length === 0 || include.includes(userId)) && !exclude.includes(userId);
}

/** If nothing is included or excluded, the condition matches everyone. */
export const asksGroups = ({ exclude, include }: IdChoices): boolean => include.length + exclude.length > 0;
