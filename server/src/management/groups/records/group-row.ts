/** NATIVE_GROUP: made here; the edge says the namespace word in its place. APP_GROUP: an app's. BUILT_IN: everyone. */
export const GROUP_TYPES = ['NATIVE_GROUP', 'APP_GROUP', 'BUILT_IN'] as const;
export type GroupType = (typeof GROUP_TYPES)[number];

/** Name, description and the custom attributes of the group schema; what is absent is left out. */
export interface GroupProfile {
  readonly name: string;
  readonly [attribute: string]: unknown;
}

export interface GroupRow {
  readonly id: string;
  readonly type: GroupType;
  readonly profile: GroupProfile;
  /** The app that a group of type APP_GROUP comes from. */
  readonly sourceId: string | null;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  /** Volatile: not covered by the entity tag. */
  readonly lastMembershipUpdatedAt: Date;
  readonly revision: number;
}
