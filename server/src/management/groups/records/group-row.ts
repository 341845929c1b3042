/** NATIVE_GROUP: created here; on the wire it has the namespace word. APP_GROUP: from an app. BUILT_IN: Everyone. */
export const GROUP_TYPES = ['NATIVE_GROUP', 'APP_GROUP', 'BUILT_IN'] as const;
export type GroupType = (typeof GROUP_TYPES)[number];

/** Name, description and the custom attributes of the group schema; absent ones are left out. */
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
  /** Volatile, so the entity tag does not cover it. */
  readonly lastMembershipUpdatedAt: Date;
  readonly revision: number;
}
