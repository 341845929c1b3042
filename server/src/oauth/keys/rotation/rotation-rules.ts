const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

/** The times that decide when a key signs and how long it is accepted. */
export interface KeyTimes {
  readonly createdAt: Date;
  /** The time from which it signs, until the next one does. */
  readonly activeFrom: Date;
  /** Published and accepted until then; null when it has no successor yet. */
  readonly expiresAt: Date | null;
}

/** The org's own authorization server, which has no row. */
export const ORG_SERVER = '';

/**
 * The first key of a server is active from the beginning of time, so that the unique (org, server, active_from) lets
 * one of two concurrent processes win.
 */
export const FIRST_ACTIVE_FROM = new Date(0);

/**
 * Older releases sign with the org's newest key regardless of server. Dating custom-server keys a second earlier keeps
 * a mixed-version cluster from choosing one.
 */
const FIRST_ACTIVE_FROM_OF_CUSTOM_SERVERS = new Date(-SECOND);

export const firstActiveFrom = (serverId: string): Date =>
  serverId === ORG_SERVER ? FIRST_ACTIVE_FROM : FIRST_ACTIVE_FROM_OF_CUSTOM_SERVERS;

const SIGNS_FOR_MILLISECONDS = 90 * DAY;

/** Clients may cache a key set for an hour, so a day is enough for all to have read the new key. */
export const PUBLISHED_AHEAD_MILLISECONDS = DAY;

/** Longer than any process uses a cached list of keys (authorisation cache: a second). */
export const KNOWN_EVERYWHERE_MILLISECONDS = 2 * SECOND;

/**
 * The last token lives for an hour, or at a custom server as long as a rule can allow. Another hour is for nodes whose
 * clocks are behind and still sign with the key.
 */
const ACCEPTED_AFTER_MILLISECONDS = 2 * HOUR;
const ACCEPTED_AFTER_MILLISECONDS_OF_CUSTOM_SERVERS = 25 * HOUR;

const after = (date: Date, milliseconds: number): Date => new Date(date.getTime() + milliseconds);

/** The time from which a successor signs: a day after its publication, or as soon as every process knows it. */
export const successorActiveFrom = (now: Date, atOnce: boolean): Date =>
  after(now, atOnce ? KNOWN_EVERYWHERE_MILLISECONDS : PUBLISHED_AHEAD_MILLISECONDS);

/**
 * The time until which a key is accepted if its successor signs from `activeFrom`. By then the last token that the key
 * signed has expired.
 */
export const expiryBefore = (activeFrom: Date, serverId: string = ORG_SERVER): Date =>
  after(
    activeFrom,
    serverId === ORG_SERVER ? ACCEPTED_AFTER_MILLISECONDS : ACCEPTED_AFTER_MILLISECONDS_OF_CUSTOM_SERVERS,
  );

/** The time from which a key signs: the first one is active from the beginning of time, before it was created. */
export const signsSince = ({ activeFrom, createdAt }: KeyTimes): Date =>
  activeFrom > createdAt ? activeFrom : createdAt;

/** The time until which a key signs, unless somebody rotates earlier. */
export const signsUntil = (key: KeyTimes): Date => after(signsSince(key), SIGNS_FOR_MILLISECONDS);

/** When the successor of the newest key is due: a day before that one has signed for 90 days. */
export const successorDueAt = (key: KeyTimes): Date => after(signsUntil(key), -PUBLISHED_AHEAD_MILLISECONDS);

/** Whether tokens signed by the key are still accepted. A key that does not sign yet is published too. */
export const isPublished = ({ expiresAt }: KeyTimes, now: Date): boolean => expiresAt === null || now < expiresAt;

/** The key that signs now: the last one that became active. Undefined means that there is none. */
export function signingKeyOf<Key extends KeyTimes>(keys: readonly Key[], now: Date): Key | undefined {
  return keys
    .filter((key) => key.activeFrom <= now && isPublished(key, now))
    .reduce<Key | undefined>(
      (last, key) => (last === undefined || key.activeFrom > last.activeFrom ? key : last),
      undefined,
    );
}
