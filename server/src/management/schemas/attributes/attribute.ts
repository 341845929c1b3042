/** Types that an attribute may have (OpenAPI UserSchemaAttributeType). */
export const ATTRIBUTE_TYPES = ['string', 'boolean', 'number', 'integer', 'array'] as const;
export type AttributeType = (typeof ATTRIBUTE_TYPES)[number];

/** Types that the elements of an array may have. */
export const ITEM_TYPES = ['string', 'number', 'integer'] as const;
export type ItemType = (typeof ITEM_TYPES)[number];

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

/** READ_ONLY: clients can't write it. IMMUTABLE: what was written once stays. */
export const MUTABILITIES = ['READ_WRITE', 'READ_ONLY', 'IMMUTABLE'] as const;
export type Mutability = (typeof MUTABILITIES)[number];

/** What users may do with the attribute in their own profile. */
export const SELF_ACTIONS = ['HIDE', 'READ_ONLY', 'READ_WRITE'] as const;
export type SelfAction = (typeof SELF_ACTIONS)[number];

export const SCOPES = ['NONE', 'SELF'] as const;
export type AttributeScope = (typeof SCOPES)[number];

/** A value that an attribute with choices may have, and its name for people. */
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

/** Where values come from; none: where the user's other attributes do. `INTERNAL` is this service itself. */
export type Master =
  | { readonly type: 'INTERNAL' }
  | { readonly type: 'OVERRIDE'; readonly priority: readonly { readonly type: string; readonly value: string }[] };

export type AttributeValue = string | number | boolean | readonly (string | number)[];

/** Definition of an attribute, as stored. Lengths in characters, limits inclusive. */
export interface ProfileAttribute extends Choices {
  readonly title: string;
  readonly description?: string;
  readonly type: AttributeType;
  /** Of arrays, and always there with them. */
  readonly items?: ArrayItems;
  readonly required: boolean;
  /** No two users of the org may have the same value. */
  readonly unique?: true;
  /** A name: it has no control characters. */
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
  /** Of app users: values of several groups add up. */
  readonly union?: true;
  /** Stands where a profile has no value. */
  readonly default?: AttributeValue;
  /** Number in the search index. Custom attributes have one, base attributes have theirs by name. */
  readonly attributeId?: number;
}

/** Attributes by name, base attributes first. A map: `constructor` and its like are names like all others. */
export type ProfileSchema = ReadonlyMap<string, ProfileAttribute>;

/** An attribute that an org added. */
export interface CustomAttribute {
  readonly name: string;
  readonly attributeId: number;
  readonly definition: ProfileAttribute;
}

/** An attribute that is gone while its values still are being removed. */
export interface LeavingAttribute {
  readonly name: string;
  readonly attributeId: number;
}

/** A profile as a client sent it: nothing is known of it yet. */
export type ProfileInput = Readonly<Record<string, unknown>>;

/** Base attributes and those the org added, as one schema. */
export const schemaWith = (base: ProfileSchema, custom: readonly CustomAttribute[]): ProfileSchema =>
  new Map([
    ...base,
    ...custom.map(({ attributeId, definition, name }) => [name, { ...definition, attributeId }] as const),
  ]);
