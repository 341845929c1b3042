import type { AttributeType, ItemType } from './attribute-types.ts';

export const ATTRIBUTE_FORMATS = [
  'uri',
  'email',
  'country-code',
  'language-code',
  'locale',
  'timezone',
  'date-time',
  'ref-id',
] as const;
export type AttributeFormat = (typeof ATTRIBUTE_FORMATS)[number];

/** READ_ONLY: clients can't write it. IMMUTABLE: it can be written only once. */
export const MUTABILITIES = ['READ_WRITE', 'READ_ONLY', 'IMMUTABLE'] as const;
export type Mutability = (typeof MUTABILITIES)[number];

/** Access of users to the attribute in their own profile. */
export const SELF_ACTIONS = ['HIDE', 'READ_ONLY', 'READ_WRITE'] as const;
export type SelfAction = (typeof SELF_ACTIONS)[number];

export const SCOPES = ['NONE', 'SELF'] as const;
export type AttributeScope = (typeof SCOPES)[number];

/** An allowed value of an attribute, with its display name. */
export interface Choice {
  readonly const: string | number;
  readonly title: string;
}

export interface Choices {
  readonly enum?: readonly (string | number)[];
  /** Names of the values of `enum`, in the same order. */
  readonly oneOf?: readonly Choice[];
}

export interface ArrayItems extends Choices {
  readonly type: ItemType;
}

/** The source of values, by default that of the user's other attributes. `INTERNAL` is this service itself. */
export type Master =
  | { readonly type: 'INTERNAL' }
  | { readonly type: 'OVERRIDE'; readonly priority: readonly { readonly type: string; readonly value: string }[] };

export type AttributeValue = string | number | boolean | readonly (string | number)[];

/** Definition of an attribute, as stored. Lengths in characters, limits inclusive. */
export interface ProfileAttribute extends Choices {
  readonly title: string;
  readonly description?: string;
  readonly type: AttributeType;
  /** Present for arrays only, and always for them. */
  readonly items?: ArrayItems;
  readonly required: boolean;
  /** No two users of the org may have the same value. */
  readonly unique?: true;
  /** Marks a name, which has no control characters. */
  readonly isLine?: true;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  /** Matches the whole value (RE2 syntax). */
  readonly pattern?: string;
  readonly format?: AttributeFormat;
  readonly mutability: Mutability;
  readonly scope: AttributeScope;
  readonly permissions: readonly [{ readonly principal: 'SELF'; readonly action: SelfAction }];
  readonly master?: Master;
  readonly externalName?: string;
  readonly externalNamespace?: string;
  /** Whether the values of several groups are combined; only for app users. */
  readonly union?: true;
  /** The value for profiles that have none. */
  readonly default?: AttributeValue;
  /** Number in the search index. Custom attributes store one; base attributes have theirs by name. */
  readonly attributeId?: number;
}

/** Attributes by name, base attributes first. A map, so that names such as `constructor` need no special treatment. */
export type ProfileSchema = ReadonlyMap<string, ProfileAttribute>;

/** An attribute that an org added. */
export interface CustomAttribute {
  readonly name: string;
  readonly attributeId: number;
  readonly definition: ProfileAttribute;
}

/** A removed attribute whose values are still being deleted. */
export interface LeavingAttribute {
  readonly name: string;
  readonly attributeId: number;
}

/** An unvalidated profile from a client. */
export type ProfileInput = Readonly<Record<string, unknown>>;

/** Merges base and custom attributes into one schema. */
export const schemaWith = (base: ProfileSchema, custom: readonly CustomAttribute[]): ProfileSchema =>
  new Map([
    ...base,
    ...custom.map(({ attributeId, definition, name }) => [name, { ...definition, attributeId }] as const),
  ]);
