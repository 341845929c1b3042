// These tables say which attributes get which search terms. Writer and query share them; the terms are a stored format,
// so the tables must not change.

const GEOGRAPHICAL = ['client.geographicalContext', 'request.ipChain.geographicalContext'] as const;
const coordinates = GEOGRAPHICAL.flatMap((place) => [`${place}.geolocation.lat`, `${place}.geolocation.lon`]);

/**
 * Attributes without an `eq` pair: those with their own column and index, those with the same value in nearly every
 * event, which no index speeds up, and those whose exact value nobody searches for.
 */
const WITHOUT_PAIR: ReadonlySet<string> = new Set([
  'eventType',
  'actor.id',
  'published',
  'version',
  'transaction.type',
  'authenticationContext.authenticationStep',
  ...coordinates,
]);

/** Members of these cannot be searched for, only their words. */
const WITHOUT_PAIRS_BELOW = 'target.detailEntry.';

/** Values of nearly every event: a pair would list the whole log. Other values of the same attribute have one. */
const COMMON_VALUES: ReadonlyMap<string, string> = new Map([
  ['severity', 'INFO'],
  ['actor.type', 'User'],
  ['client.zone', 'null'],
  ['outcome.result', 'SUCCESS'],
  ['request.ipChain.version', 'V4'],
]);

/**
 * Attributes whose values name one thing and hardly occur elsewhere: if such a value is one word, its word serves as
 * its pair.
 */
export const NAMED_BY_WORD: ReadonlySet<string> = new Set([
  'uuid',
  'legacyEventType',
  'actor.alternateId',
  'client.id',
  'client.device',
  'client.userAgent.os',
  'client.userAgent.browser',
  'authenticationContext.externalSessionId',
  'authenticationContext.rootSessionId',
  'transaction.id',
  'transaction.detail.requestApiTokenId',
  'debugContext.debugData.requestId',
  'debugContext.debugData.requestUri',
  'debugContext.debugData.url',
  'debugContext.debugData.deviceFingerprint',
  'request.ipChain.ip',
]);

/** These attributes are present in nearly every event, so they narrow nothing. */
const NEARLY_ALWAYS_PRESENT: ReadonlySet<string> = new Set([
  'uuid',
  'published',
  'eventType',
  'version',
  'severity',
  'displayMessage',
  'actor.id',
  'actor.type',
  'actor.alternateId',
  'actor.displayName',
  'client.zone',
  'client.device',
  'client.ipAddress',
  'client.userAgent.rawUserAgent',
  'client.userAgent.os',
  'client.userAgent.browser',
  ...GEOGRAPHICAL.map((place) => `${place}.country`),
  'authenticationContext.authenticationStep',
  'outcome.result',
  'target.id',
  'target.type',
  'target.alternateId',
  'target.displayName',
  'transaction.type',
  'transaction.id',
  'transaction.detail.requestApiTokenId',
  'debugContext.debugData.requestId',
  'debugContext.debugData.requestUri',
  'debugContext.debugData.url',
  'request.ipChain.ip',
  'request.ipChain.version',
]);

/** Before and after values cannot be searched for (contract), and would be most of the terms. */
export const NOT_SEARCHED = 'target.changeDetails';

/** Tells whether events with this value of an attribute have a `pairToken`. */
export const hasPairToken = (path: string, value: string): boolean =>
  !WITHOUT_PAIR.has(path) && !path.startsWith(WITHOUT_PAIRS_BELOW) && COMMON_VALUES.get(path) !== value;

/** Tells whether events with an attribute have a `presenceToken`. */
export const hasPresenceToken = (path: string): boolean =>
  !NEARLY_ALWAYS_PRESENT.has(path) && !path.startsWith(WITHOUT_PAIRS_BELOW);
