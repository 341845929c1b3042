import type { JsonObject } from '../../system-log/index.ts';

type Assigned = readonly { readonly roleType: string }[];

const rolesOf = (assignments: Assigned): JsonObject => ({ roles: assignments.map(({ roleType }) => roleType) });

/** The roles of a user or client before and after, as events about them tell it. */
export const roleChange = (before: Assigned, after: Assigned): { from: JsonObject; to: JsonObject } => ({
  from: rolesOf(before),
  to: rolesOf(after),
});
