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

/** For users and groups, clients cannot write a READ_ONLY attribute, and can write an IMMUTABLE attribute only once. */
export const MUTABILITIES = ['READ_WRITE', 'READ_ONLY', 'IMMUTABLE'] as const;
export type Mutability = (typeof MUTABILITIES)[number];

/** The access that users have to the attribute in their own profile. */
export const SELF_ACTIONS = ['HIDE', 'READ_ONLY', 'READ_WRITE'] as const;
export type SelfAction = (typeof SELF_ACTIONS)[number];

export const SCOPES = ['NONE', 'SELF'] as const;
export type AttributeScope = (typeof SCOPES)[number];

export interface Choice {
  readonly const: string | number;
  readonly title: string;
}

export interface Choices {
  readonly enum?: readonly (string | number)[];
  /** The values of `enum` with their display names, in the same order. */
  readonly oneOf?: readonly Choice[];
}

export interface ArrayItems extends Choices {
  readonly type: ItemType;
}

/** The source of the values. If it is absent, the values have the same source as the user's other attributes. */
export type Master =
  | { readonly type: 'INTERNAL' }
  | { readonly type: 'OVERRIDE'; readonly priority: readonly { readonly type: string; readonly value: string }[] };

export type AttributeValue = string | number | boolean | readonly (string | number)[];

/** Lengths are in characters, and limits are inclusive. */
export interface ProfileAttribute extends Choices {
  readonly title: string;
  readonly description?: string;
  readonly type: AttributeType;
  /** This is present if and only if the type is `array`. */
  readonly items?: ArrayItems;
  readonly required: boolean;
  /** If true, no two users may have the same value, even across user types in which the attribute is unique. */
  readonly unique?: true;
  /** If true, the value must be one line without control characters. */
  readonly isLine?: true;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  /** The regular expression that the whole value must match (RE2 syntax). */
  readonly pattern?: string;
  readonly format?: AttributeFormat;
  readonly mutability: Mutability;
  readonly scope: AttributeScope;
  readonly permissions: readonly [{ readonly principal: 'SELF'; readonly action: SelfAction }];
  readonly master?: Master;
  readonly externalName?: string;
  readonly externalNamespace?: string;
  /** Whether values from several groups are combined. */
  readonly union?: true;
  readonly default?: AttributeValue;
  /** The attribute's number in the search index. Only custom attributes have this member. */
  readonly attributeId?: number;
}

/** Attributes by name, base attributes first. A map has no inherited members, so `constructor` can be a name. */
export type ProfileSchema = ReadonlyMap<string, ProfileAttribute>;

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

/** A profile whose values may not have been validated yet. */
export type ProfileInput = Readonly<Record<string, unknown>>;

export const schemaWith = (base: ProfileSchema, custom: readonly CustomAttribute[]): ProfileSchema =>
  new Map([
    ...base,
    ...custom.map(({ attributeId, definition, name }) => [name, { ...definition, attributeId }] as const),
  ]);
