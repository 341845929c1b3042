// These tables define which attributes have which search terms. The writer and the queries share them. Search terms are
// stored, so the tables must not change.

const GEOGRAPHICAL = ['client.geographicalContext', 'request.ipChain.geographicalContext'] as const;
const coordinates = GEOGRAPHICAL.flatMap((place) => [`${place}.geolocation.lat`, `${place}.geolocation.lon`]);

/**
 * Attributes without a search term for `eq`. Some have their own column and index. Some have the same value in nearly
 * every event, so that no index helps. For the others, nobody searches for an exact value.
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

/** Members of this object have no search terms for `eq`, but their words have search terms. */
const WITHOUT_PAIRS_BELOW = 'target.detailEntry.';

/**
 * Values of nearly every event, for which a search term would list the whole log. Other values of the same attributes
 * have search terms.
 */
const COMMON_VALUES: ReadonlyMap<string, string> = new Map([
  ['severity', 'INFO'],
  ['actor.type', 'User'],
  ['client.zone', 'null'],
  ['outcome.result', 'SUCCESS'],
  ['request.ipChain.version', 'V4'],
]);

/**
 * Attributes whose values identify one thing and hardly occur elsewhere. If such a value is one word, the search term
 * of the word is also the search term for `eq`.
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

/** Attributes that are present in nearly every event. A search term for their presence would narrow nothing. */
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

/**
 * The values before and after a change. They cannot be searched for (contract), and would make up most of the search
 * terms.
 */
export const NOT_SEARCHED = 'target.changeDetails';

/** Tests whether events with this value of an attribute have a `pairToken`. */
export const hasPairToken = (path: string, value: string): boolean =>
  !WITHOUT_PAIR.has(path) && !path.startsWith(WITHOUT_PAIRS_BELOW) && COMMON_VALUES.get(path) !== value;

/** Tests whether events with an attribute have a `presenceToken`. */
export const hasPresenceToken = (path: string): boolean =>
  !NEARLY_ALWAYS_PRESENT.has(path) && !path.startsWith(WITHOUT_PAIRS_BELOW);
