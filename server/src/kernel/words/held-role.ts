/** The targets that a standard role was narrowed to. Empty targets narrow it to nothing. */
export interface RoleTargets {
  readonly groupIds: readonly string[];
  /** The group of all users is among the groups. */
  readonly everyone: boolean;
  readonly appIds: readonly string[];
  /** All apps with these names. */
  readonly appNames: readonly string[];
}

/** The profile attributes that a permission of a custom role shows: these, or all except these. */
export type AttributeCondition =
  | { readonly include: readonly string[]; readonly exclude?: never }
  | { readonly exclude: readonly string[]; readonly include?: never };

export interface CustomPermission {
  /** Neutral: `users.read`. */
  readonly name: string;
  readonly conditions: AttributeCondition | null;
}

/** A member of a resource set: a kind of resource and one key. A null key means all of that kind. */
export interface ResourceName {
  readonly kind: string;
  /** An id, or the name of apps. */
  readonly key: string | null;
}

export interface HeldResource extends ResourceName {
  /** Members excluded from the set. */
  readonly excluded: readonly ResourceName[];
}

/** A role that somebody holds, with its reach: a standard role by its targets, a custom one by its resource set. */
export interface HeldRole {
  /** The type of a standard role, or `CUSTOM`. */
  readonly type: string;
  /** Null: the role was not narrowed. */
  readonly targets: RoleTargets | null;
  readonly custom: {
    readonly permissions: readonly CustomPermission[];
    readonly resources: readonly HeldResource[];
  } | null;
}

/** A standard role that was not narrowed. */
export const wholeRole = (type: string): HeldRole => ({ type, targets: null, custom: null });
