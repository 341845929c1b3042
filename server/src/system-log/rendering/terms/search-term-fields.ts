// These tables define which attributes have which search terms. The writer and the queries share them. Search terms are
// stored, so the tables must not change.

const GEOGRAPHICAL = ['client.geographicalContext', 'request.ipChain.geographicalContext'] as const;
const coordinates = GEOGRAPHICAL.flatMap((place) => [`${place}.geolocation.lat`, `${place}.geolocation.lon`]);

/** Attributes without a search term for `eq`. */
const WITHOUT_PAIR: ReadonlySet<string> = new Set([
  'eventType',
  'actor.id',
  'published',
  'version',
  'transaction.type',
  'authenticationContext.authenticationStep',
  ...coordinates,
]);

/** Members of this object have search terms for their words only. */
const WITHOUT_PAIRS_BELOW = 'target.detailEntry.';

/** Values, by attribute, that are too common to get a search term for `eq`. */
const COMMON_VALUES: ReadonlyMap<string, string> = new Map([
  ['severity', 'INFO'],
  ['actor.type', 'User'],
  ['client.zone', 'null'],
  ['outcome.result', 'SUCCESS'],
  ['request.ipChain.version', 'V4'],
]);

/** Attributes for which `eq` uses a keyword's search term if the value as a whole is a keyword. */
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

/** Attributes that are present too often to get a search term for `pr`. */
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

/** The attribute with the values before and after a change, which cannot be searched (contract). */
export const NOT_SEARCHED = 'target.changeDetails';

export const mayHavePairToken = (path: string): boolean =>
  !WITHOUT_PAIR.has(path) && !path.startsWith(WITHOUT_PAIRS_BELOW);

/** Returns the value of an attribute that has no search term for `eq`, although others do. */
export const commonValueOf = (path: string): string | undefined => COMMON_VALUES.get(path);

export const hasPairToken = (path: string, value: string): boolean =>
  mayHavePairToken(path) && COMMON_VALUES.get(path) !== value;

export const hasPresenceToken = (path: string): boolean =>
  !NEARLY_ALWAYS_PRESENT.has(path) && !path.startsWith(WITHOUT_PAIRS_BELOW);
