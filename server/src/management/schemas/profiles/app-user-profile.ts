import type { ProfileAttribute, ProfileSchema } from '../attributes/attribute.ts';

/** The kind determines the built-in attributes. PLAIN has only a user name. */
export type AppUserKind = 'OIDC' | 'PLAIN' | 'PROVIDER';

type Row = readonly [name: string, title: string, externalName?: string];

// biome-ignore format: one line per attribute
const CLAIMS: readonly Row[] = [
  ['name',           'Name'],
  ['nickname',       'Nickname'],
  ['given_name',     'Given Name'],
  ['middle_name',    'Middle Name'],
  ['family_name',    'Family Name'],
  ['email',          'Email'],
  ['profile',        'Profile URL'],
  ['picture',        'Picture URL'],
  ['website',        'Website'],
  ['gender',         'Gender'],
  ['birthdate',      'Birthdate'],
  ['zoneinfo',       'Time Zone'],
  ['locale',         'Locale Name'],
  ['phone_number',   'Phone Number'],
  ['street_address', 'Street Address', 'address.street_address'],
  ['locality',       'Locality',       'address.locality'],
  ['region',         'Region',         'address.region'],
  ['postal_code',    'Postal Code',    'address.postal_code'],
  ['country',        'Country',        'address.country'],
  ['formatted',      'Formatted',      'address.formatted'],
];

// biome-ignore format: one line per attribute
const PROVIDED: readonly Row[] = [
  ['firstName',       'First name'],
  ['lastName',        'Last name'],
  ['email',           'Email'],
  ['mobilePhone',     'Mobile phone'],
  ['displayName',     'Display name'],
  ['middleName',      'Middle name'],
  ['honorificPrefix', 'Honorific prefix'],
  ['honorificSuffix', 'Honorific suffix'],
  ['profileUrl',      'Profile Url'],
];

const attribute = (title: string, details: Partial<ProfileAttribute>): ProfileAttribute => ({
  title,
  type: 'string',
  required: false,
  mutability: 'READ_WRITE',
  scope: 'NONE',
  permissions: [{ principal: 'SELF', action: 'READ_ONLY' }],
  ...details,
});

function schemaOf(userName: Partial<ProfileAttribute>, rows: readonly Row[]): ProfileSchema {
  const scope = rows.length > 0 ? 'SELF' : 'NONE';
  return new Map([
    ['userName', attribute('Username', { required: true, isLine: true, scope, ...userName })],
    ...rows.map(
      ([name, title, externalName]) =>
        [name, attribute(title, { scope, ...(externalName === undefined ? {} : { externalName }) })] as const,
    ),
  ]);
}

const SCHEMAS: Readonly<Record<AppUserKind, ProfileSchema>> = {
  OIDC: schemaOf({ externalName: 'preferred_username' }, CLAIMS),
  PLAIN: schemaOf({ maxLength: 100 }, []),
  PROVIDER: schemaOf({}, PROVIDED),
};

/** Returns the attributes that users of an app have before the org adds any. */
export const appUserAttributes = (kind: AppUserKind): ProfileSchema => SCHEMAS[kind];

export interface AppFacts {
  readonly id: string;
  /** A name such as `oidc_client` or `saml_idp`. */
  readonly name: string;
  readonly label: string;
  readonly kind: AppUserKind;
  readonly createdAt: Date;
}
