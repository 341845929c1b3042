import type { AttributeFormat, Master, ProfileAttribute, ProfileSchema, SelfAction } from './attribute.ts';

type Details = Partial<Pick<ProfileAttribute, 'required' | 'isLine' | 'minLength' | 'maxLength'>> & {
  readonly format?: AttributeFormat;
};

const ADDRESS = { minLength: 5, maxLength: 100 } as const;
export const MAXIMUM_LOGIN_LENGTH = ADDRESS.maxLength;

const LINE = { isLine: true } as const;

const attribute = (title: string, action: SelfAction, details: Details = {}): ProfileAttribute => ({
  title,
  type: 'string',
  required: false,
  mutability: 'READ_WRITE',
  scope: 'NONE',
  permissions: [{ principal: 'SELF', action }],
  ...details,
});

/** The attributes of every user type (OpenAPI UserProfile), in the order in which schemas contain them. */
// biome-ignore format: one line per attribute
export const BASE_PROFILE_ATTRIBUTES = {
  login:             attribute('Username',         'READ_ONLY',  { required: true, isLine: true, ...ADDRESS }),
  firstName:         attribute('First name',       'READ_WRITE', { required: true, isLine: true, minLength: 1, maxLength: 50 }),
  lastName:          attribute('Last name',        'READ_WRITE', { required: true, isLine: true, minLength: 1, maxLength: 50 }),
  middleName:        attribute('Middle name',      'READ_ONLY', LINE),
  honorificPrefix:   attribute('Honorific prefix', 'READ_ONLY', LINE),
  honorificSuffix:   attribute('Honorific suffix', 'READ_ONLY', LINE),
  email:             attribute('Primary email',    'READ_WRITE', { required: true, format: 'email', ...ADDRESS }),
  title:             attribute('Title',            'READ_ONLY'),
  displayName:       attribute('Display name',     'READ_ONLY', LINE),
  nickName:          attribute('Nickname',         'READ_ONLY', LINE),
  profileUrl:        attribute('Profile Url',      'READ_ONLY',  { format: 'uri' }),
  secondEmail:       attribute('Secondary email',  'READ_WRITE', { format: 'email', maxLength: 100 }),
  mobilePhone:       attribute('Mobile phone',     'READ_WRITE', { maxLength: 100 }),
  primaryPhone:      attribute('Primary phone',    'HIDE',       { maxLength: 100 }),
  streetAddress:     attribute('Street address',   'HIDE',       { maxLength: 1024 }),
  city:              attribute('City',             'HIDE',       { maxLength: 128 }),
  state:             attribute('State',            'HIDE',       { maxLength: 128 }),
  zipCode:           attribute('Zip code',         'HIDE',       { maxLength: 50 }),
  countryCode:       attribute('Country code',     'HIDE',       { format: 'country-code', maxLength: 2 }),
  postalAddress:     attribute('Postal Address',   'HIDE',       { maxLength: 4096 }),
  preferredLanguage: attribute('Preferred language', 'READ_ONLY', { format: 'language-code' }),
  locale:            attribute('Locale',           'READ_ONLY',  { format: 'locale' }),
  timezone:          attribute('Time zone',        'READ_ONLY',  { format: 'timezone' }),
  userType:          attribute('User type',        'READ_ONLY'),
  employeeNumber:    attribute('Employee number',  'READ_ONLY'),
  costCenter:        attribute('Cost center',      'READ_ONLY'),
  organization:      attribute('Organization',     'READ_ONLY'),
  division:          attribute('Division',         'READ_ONLY'),
  department:        attribute('Department',       'READ_ONLY'),
  managerId:         attribute('ManagerId',        'READ_ONLY'),
  manager:           attribute('Manager',          'READ_ONLY'),
} as const satisfies Readonly<Record<string, ProfileAttribute>>;

export interface BaseOverride {
  readonly required?: boolean;
  readonly permission?: SelfAction;
  readonly master?: Master;
  readonly pattern?: string;
}
export type BaseOverrides = Readonly<Record<string, BaseOverride>>;

function overridden(definition: ProfileAttribute, override: BaseOverride): ProfileAttribute {
  const { master, pattern, permission, required } = override;
  return {
    ...definition,
    ...(required === undefined ? {} : { required }),
    ...(permission === undefined ? {} : { permissions: [{ principal: 'SELF', action: permission }] }),
    ...(master === undefined ? {} : { master }),
    ...(pattern === undefined ? {} : { pattern }),
  };
}

export function profileSchema(overrides: BaseOverrides = {}): ProfileSchema {
  const schema = new Map<string, ProfileAttribute>(Object.entries(BASE_PROFILE_ATTRIBUTES));
  for (const [name, override] of Object.entries(overrides)) {
    const definition = schema.get(name);
    if (definition !== undefined) schema.set(name, overridden(definition, override));
  }
  return schema;
}
