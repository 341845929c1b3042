import type { AppUserKind } from '../schemas/index.ts';

/** TO_USER maps the users of an app to users of the org. TO_APP_USER maps in the opposite direction. */
export const DIRECTIONS = ['TO_USER', 'TO_APP_USER'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** The service only stores the push status. */
export const PUSH_STATUSES = ['PUSH', 'DONT_PUSH'] as const;
export type PushStatus = (typeof PUSH_STATUSES)[number];

export interface MappedProperty {
  readonly expression: string;
  readonly pushStatus: PushStatus;
}

/** Mapped properties, by the name of the target attribute. */
export type MappedProperties = Readonly<Record<string, MappedProperty>>;

type Row = readonly [target: string, expression: string];

// biome-ignore format: the columns are the documentation
const FROM_PROVIDER: readonly Row[] = [
  ['firstName',   'source.firstName'],
  ['lastName',    'source.lastName'],
  ['email',       'source.email'],
  ['mobilePhone', 'source.mobilePhone'],
  ['login',       'source.userName'],
];

/** The targets are named after claims of OpenID Connect Core 5.1, and after members of the claim `address` (5.1.1). */
// biome-ignore format: the columns are the documentation
const TO_CLAIMS: readonly Row[] = [
  ['name',           "source.displayName ?: (source.firstName + ' ' + source.lastName)"],
  ['nickname',       'source.nickName'],
  ['given_name',     'source.firstName'],
  ['middle_name',    'source.middleName'],
  ['family_name',    'source.lastName'],
  ['email',          'source.email'],
  ['profile',        'source.profileUrl'],
  ['zoneinfo',       'source.timezone'],
  ['locale',         'source.locale'],
  ['phone_number',   'source.primaryPhone'],
  ['street_address', 'source.streetAddress'],
  ['locality',       'source.city'],
  ['region',         'source.state'],
  ['postal_code',    'source.zipCode'],
  ['country',        'source.countryCode'],
];

const properties = (rows: readonly Row[]): MappedProperties =>
  Object.fromEntries(rows.map(([target, expression]) => [target, { expression, pushStatus: 'PUSH' }]));

// biome-ignore format: the columns are the documentation
const DEFAULTS: Readonly<Record<AppUserKind, Readonly<Record<Direction, MappedProperties>>>> = {
  OIDC:     { TO_USER: {},                        TO_APP_USER: properties(TO_CLAIMS) },
  PLAIN:    { TO_USER: {},                        TO_APP_USER: {} },
  PROVIDER: { TO_USER: properties(FROM_PROVIDER), TO_APP_USER: {} },
};

export const defaultProperties = (kind: AppUserKind, direction: Direction): MappedProperties =>
  DEFAULTS[kind][direction];

/** An identity provider is never a target. */
export const directionsOf = (kind: AppUserKind): readonly Direction[] =>
  kind === 'PROVIDER' ? ['TO_USER'] : DIRECTIONS;
