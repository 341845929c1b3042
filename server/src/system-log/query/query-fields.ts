import { type Field, type FieldTable, fieldTable, OPERATORS, type Operator } from '../../filter/index.ts';

const ORDERED: readonly Operator[] = ['eq', 'pr', 'gt', 'ge', 'lt', 'le', 'ne'];
const EQUALITY: readonly Operator[] = ['eq', 'pr', 'ne'];
/** The operators for URLs in debug data. They do not include `co` (specification 4.4). */
const WITHOUT_CO: readonly Operator[] = OPERATORS.filter((operator) => operator !== 'co');

const strings = (prefix: string, names: readonly string[]): Field[] =>
  names.map((name) => ({ name: prefix + name, type: 'string', operators: OPERATORS }));
const stringArrays = (prefix: string, names: readonly string[]): Field[] =>
  names.map((name) => ({ name: prefix + name, type: 'string', array: true, operators: OPERATORS }));
const numbers = (...names: readonly string[]): Field[] =>
  names.map((name) => ({ name, type: 'number', operators: ORDERED }));
const booleans = (...names: readonly string[]): Field[] =>
  names.map((name) => ({ name, type: 'boolean', operators: EQUALITY }));

const PLACE = ['city', 'state', 'country', 'postalCode'];

/**
 * The attributes that filters may use besides any member of an open object. They do not include `published`, because
 * the parameters `since` and `until` select by time (specification 4.4).
 */
const FIELDS: readonly Field[] = [
  ...strings('', ['uuid', 'eventType', 'version', 'severity', 'legacyEventType', 'displayMessage']),
  ...strings('actor.', ['id', 'type', 'alternateId', 'displayName']),
  ...strings('client.', ['zone', 'device', 'id', 'ipAddress']),
  ...strings('client.userAgent.', ['rawUserAgent', 'os', 'browser']),
  ...strings('client.geographicalContext.', PLACE),
  ...numbers('client.geographicalContext.geolocation.lat', 'client.geographicalContext.geolocation.lon'),
  ...strings('device.', ['id', 'name', 'os_platform', 'os_version', 'disk_encryption_type', 'screen_lock_type']),
  ...booleans('device.managed', 'device.registered', 'device.jailbreak', 'device.secure_hardware_present'),
  ...strings('authenticationContext.', ['authenticationProvider', 'credentialProvider', 'credentialType']),
  ...strings('authenticationContext.', ['externalSessionId', 'rootSessionId', 'interface', 'issuer.id', 'issuer.type']),
  ...numbers('authenticationContext.authenticationStep'),
  ...strings('outcome.', ['result', 'reason']),
  ...stringArrays('target.', ['id', 'type', 'alternateId', 'displayName']),
  ...strings('transaction.', ['type', 'id', 'detail.requestApiTokenId']),
  ...strings('securityContext.', ['asOrg', 'isp', 'domain']),
  ...numbers('securityContext.asNumber'),
  ...booleans('securityContext.isProxy'),
  ...stringArrays('request.ipChain.', ['ip', 'version', 'source']),
  ...stringArrays('request.ipChain.geographicalContext.', PLACE),
];

const DEBUG_DATA = 'debugContext.debugData.';
const ADDRESSES = new Set([`${DEBUG_DATA}url`, `${DEBUG_DATA}requestUri`]);
/** After one of these prefixes, the rest of the name is a single key, even if it contains dots. */
const OPEN_OBJECTS = [DEBUG_DATA, 'actor.detailEntry.', 'transaction.detail.'];

const openField = (name: string): Field | undefined =>
  OPEN_OBJECTS.some((prefix) => name.startsWith(prefix) && name.length > prefix.length)
    ? { name, type: 'string', operators: ADDRESSES.has(name) ? WITHOUT_CO : OPERATORS }
    : undefined;

export const LOG_FIELDS: FieldTable = fieldTable(FIELDS, {
  resolve: openField,
  expectedOperators: ['eq', 'co', 'sw', 'pr', 'gt', 'ge', 'lt', 'le'],
});

/** The place of a field in the event. For a field in an array, `path` starts at an element of `array`. */
export interface FieldPath {
  readonly array: readonly string[] | null;
  readonly path: readonly string[];
}

const ARRAYS: readonly (readonly string[])[] = [['target'], ['request', 'ipChain']];

export function fieldPath(field: Field): FieldPath {
  const open = OPEN_OBJECTS.find((prefix) => field.name.startsWith(prefix));
  if (open !== undefined && !LOG_FIELDS.fields.has(field.name)) {
    return { array: null, path: [...open.slice(0, -1).split('.'), field.name.slice(open.length)] };
  }
  const array = ARRAYS.find((names) => field.array === true && field.name.startsWith(`${names.join('.')}.`)) ?? null;
  return { array, path: field.name.split('.').slice(array?.length ?? 0) };
}
