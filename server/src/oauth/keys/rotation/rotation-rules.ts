const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

export interface KeyTimes {
  readonly createdAt: Date;
  /** The time from which the key signs, until its successor does. */
  readonly activeFrom: Date;
  /** The time until which the key is published and accepted; null when it has no successor yet. */
  readonly expiresAt: Date | null;
}

/** The id of the org's own authorization server, which has no row. */
export const ORG_SERVER = '';

/** A fixed time lets the unique index on (org, server, active_from) admit only one of two concurrent first keys. */
export const FIRST_ACTIVE_FROM = new Date(0);

/**
 * Older releases sign with the org's newest key, whatever its server. A custom server's first key therefore has an
 * earlier date than the org's first key.
 */
const FIRST_ACTIVE_FROM_OF_CUSTOM_SERVERS = new Date(-SECOND);

export const firstActiveFrom = (serverId: string): Date =>
  serverId === ORG_SERVER ? FIRST_ACTIVE_FROM : FIRST_ACTIVE_FROM_OF_CUSTOM_SERVERS;

const SIGNS_FOR_MILLISECONDS = 90 * DAY;

/** Normally, a successor is published this long before it signs. Clients may cache a key set for an hour. */
export const PUBLISHED_AHEAD_MILLISECONDS = DAY;

/** After this long, every process knows a new key, because processes cache the list of keys for at most a second. */
export const KNOWN_EVERYWHERE_MILLISECONDS = 2 * SECOND;

/** A key's last token lives for an hour. The other hour is for nodes with slow clocks that still sign with the key. */
const ACCEPTED_AFTER_MILLISECONDS = 2 * HOUR;
/** A rule of a custom server can allow a token lifetime of 24 hours. One more hour is for nodes with slow clocks. */
const ACCEPTED_AFTER_MILLISECONDS_OF_CUSTOM_SERVERS = 25 * HOUR;

const after = (date: Date, milliseconds: number): Date => new Date(date.getTime() + milliseconds);

export const successorActiveFrom = (now: Date, atOnce: boolean): Date =>
  after(now, atOnce ? KNOWN_EVERYWHERE_MILLISECONDS : PUBLISHED_AHEAD_MILLISECONDS);

/** Returns the time by which a key's last token has expired if the successor signs from `activeFrom`. */
export const expiryBefore = (activeFrom: Date, serverId: string = ORG_SERVER): Date =>
  after(
    activeFrom,
    serverId === ORG_SERVER ? ACCEPTED_AFTER_MILLISECONDS : ACCEPTED_AFTER_MILLISECONDS_OF_CUSTOM_SERVERS,
  );

/** The `activeFrom` of a first key is long before its creation, so the time of creation counts instead. */
export const signsSince = ({ activeFrom, createdAt }: KeyTimes): Date =>
  activeFrom > createdAt ? activeFrom : createdAt;

/** Returns the time until which a key signs, unless it is rotated by hand. */
export const signsUntil = (key: KeyTimes): Date => after(signsSince(key), SIGNS_FOR_MILLISECONDS);

export const successorDueAt = (key: KeyTimes): Date => after(signsUntil(key), -PUBLISHED_AHEAD_MILLISECONDS);

/** A key that does not sign yet is also published. */
export const isPublished = ({ expiresAt }: KeyTimes, now: Date): boolean => expiresAt === null || now < expiresAt;

export function signingKeyOf<Key extends KeyTimes>(keys: readonly Key[], now: Date): Key | undefined {
  return keys
    .filter((key) => key.activeFrom <= now && isPublished(key, now))
    .reduce<Key | undefined>(
      (last, key) => (last === undefined || key.activeFrom > last.activeFrom ? key : last),
      undefined,
    );
}
