/** The targets to which a standard role was narrowed. If they are empty, the permissions they narrow cover nothing. */
export interface RoleTargets {
  readonly groupIds: readonly string[];
  readonly everyone: boolean;
  readonly appIds: readonly string[];
  /** Names of apps. All apps with one of these names are targets. */
  readonly appNames: readonly string[];
}

/**
 * The profile attributes that a permission of a custom role shows: those in `include`, or all except those in
 * `exclude`.
 */
export type AttributeCondition =
  | { readonly include: readonly string[]; readonly exclude?: never }
  | { readonly exclude: readonly string[]; readonly include?: never };

export interface CustomPermission {
  /** The name without the namespace word, such as `users.read`. */
  readonly name: string;
  readonly conditions: AttributeCondition | null;
}

/** The name of a resource: its kind and its key. A null key means all resources of that kind. */
export interface ResourceName {
  readonly kind: string;
  /** An id, or an app name, which several apps may share. */
  readonly key: string | null;
}

export interface HeldResource extends ResourceName {
  readonly excluded: readonly ResourceName[];
}

/** A role that somebody holds. Targets limit a standard role, and a resource set limits a custom role. */
export interface HeldRole {
  /** The type of a standard role, or `CUSTOM`. */
  readonly type: string;
  /** This is null for a custom role, and for a standard role that was not narrowed. */
  readonly targets: RoleTargets | null;
  readonly custom: {
    readonly permissions: readonly CustomPermission[];
    readonly resources: readonly HeldResource[];
  } | null;
}

export const wholeRole = (type: string): HeldRole => ({ type, targets: null, custom: null });
