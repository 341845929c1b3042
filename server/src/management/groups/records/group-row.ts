/**
 * The types of groups. A NATIVE_GROUP was created here, an APP_GROUP comes from an app, and the BUILT_IN group is
 * Everyone.
 */
export const GROUP_TYPES = ['NATIVE_GROUP', 'APP_GROUP', 'BUILT_IN'] as const;
export type GroupType = (typeof GROUP_TYPES)[number];

export interface GroupProfile {
  readonly name: string;
  readonly [attribute: string]: unknown;
}

export interface GroupRow {
  readonly id: string;
  readonly type: GroupType;
  readonly profile: GroupProfile;
  /** The app from which a group of type APP_GROUP comes. It is null for groups of other types. */
  readonly sourceId: string | null;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  /** The entity tag does not cover this time. */
  readonly lastMembershipUpdatedAt: Date;
  readonly revision: number;
}
