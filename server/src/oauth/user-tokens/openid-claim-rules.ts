export interface ClaimUser {
  readonly login: string;
  readonly profile: Readonly<Record<string, unknown>>;
  readonly lastUpdatedAt: Date;
  /** An email address that the user has not verified. */
  readonly unprovedEmail: string | null;
}

type Read = (user: ClaimUser) => unknown;

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const attribute =
  (name: string): Read =>
  ({ profile }) =>
    text(profile[name]);

const members = (given: Readonly<Record<string, string | undefined>>): Record<string, string> | undefined => {
  const present = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return present.length === 0 ? undefined : Object.fromEntries(present);
};

const nameOf: Read = ({ login, profile }) => {
  const full = [text(profile['firstName']), text(profile['lastName'])].filter((part) => part !== undefined).join(' ');
  return text(profile['displayName']) ?? (full === '' ? login : full);
};

/** Builds the `address` claim (OpenID Connect Core 5.1.1). */
const addressOf: Read = ({ profile }) =>
  members({
    formatted: text(profile['postalAddress']),
    street_address: text(profile['streetAddress']),
    locality: text(profile['city']),
    region: text(profile['state']),
    postal_code: text(profile['zipCode']),
    country: text(profile['countryCode']),
  });

/** The claims of each scope (OpenID Connect Core 5.4). */
const CLAIMS: Readonly<Record<string, Readonly<Record<string, Read>>>> = {
  profile: {
    name: nameOf,
    family_name: attribute('lastName'),
    given_name: attribute('firstName'),
    middle_name: attribute('middleName'),
    nickname: attribute('nickName'),
    preferred_username: ({ login }) => login,
    profile: attribute('profileUrl'),
    zoneinfo: attribute('timezone'),
    locale: attribute('locale'),
    updated_at: ({ lastUpdatedAt }) => Math.floor(lastUpdatedAt.getTime() / 1_000),
  },
  email: {
    email: attribute('email'),
    // An address counts as verified unless it is recorded as unverified (ADR 0051).
    email_verified: ({ profile, unprovedEmail }) => {
      const email = text(profile['email']);
      return email === undefined ? undefined : email !== unprovedEmail;
    },
  },
  address: { address: addressOf },
  phone: { phone_number: attribute('primaryPhone') },
};

const READERS: ReadonlyMap<string, Read> = new Map(Object.values(CLAIMS).flatMap((claims) => Object.entries(claims)));

export const standardClaim = (name: string, user: ClaimUser): unknown => READERS.get(name)?.(user);

export function standardClaims(scopes: readonly string[], user: ClaimUser): Record<string, unknown> {
  const told = scopes.flatMap((scope) => Object.entries(CLAIMS[scope] ?? {}));
  return Object.fromEntries(told.map(([name, read]) => [name, read(user)]).filter(([, value]) => value !== undefined));
}

/** Standard claims that stay in a custom server's ID token even if it is issued with an access token. */
const ALWAYS_TOLD: ReadonlySet<string> = new Set(['name', 'preferred_username', 'email']);

export const isAlwaysTold = (name: string): boolean => ALWAYS_TOLD.has(name);
