import { type TSchema, Type } from '@sinclair/typebox';
import { OUTCOME_RESULTS } from './write/event.ts';
import { SEVERITIES } from './write/event-kinds.ts';

// Every member below is present in an event. A nullable member is null if it has no known value.
const nullable = <Schema extends TSchema>(schema: Schema, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
const nullableString = (description?: string) => nullable(Type.String(), description);
const oneOf = (words: readonly string[], description: string) =>
  Type.Unsafe<string>({ type: 'string', enum: [...words], description });

const OpenObject = Type.Record(Type.String(), Type.Unknown());

const GeographicalContext = Type.Object({
  city: nullableString(),
  state: nullableString(),
  country: nullableString(),
  postalCode: nullableString(),
  geolocation: nullable(Type.Object({ lat: nullable(Type.Number()), lon: nullable(Type.Number()) })),
});

const LogActor = Type.Object({
  id: Type.String(),
  type: Type.String(),
  alternateId: Type.String(),
  displayName: Type.String(),
  detailEntry: nullable(OpenObject),
});

const LogClient = Type.Object({
  userAgent: nullable(
    Type.Object({ rawUserAgent: nullableString(), os: Type.String(), browser: Type.String() }),
    'The user agent. It is `null` for events of the service itself. An unknown `os` or `browser` is `Unknown`.',
  ),
  zone: Type.String({ description: 'The name of the zone, or the word `null` if no zone matched.' }),
  device: nullableString(),
  id: nullableString('The id of the OAuth client.'),
  ipAddress: nullableString(),
  geographicalContext: nullable(GeographicalContext),
});

const LogAuthenticationContext = Type.Object({
  authenticationProvider: nullableString(),
  credentialProvider: nullableString(),
  credentialType: nullableString(),
  issuer: nullable(Type.Object({ id: nullableString(), type: nullableString() })),
  externalSessionId: nullableString('The id of the session. It is `null` if there was none.'),
  interface: nullableString(),
  authenticationStep: Type.Integer(),
  rootSessionId: nullableString(),
});

const LogTarget = Type.Object({
  id: Type.String(),
  type: Type.String(),
  alternateId: nullableString(),
  displayName: nullableString(),
  detailEntry: nullable(OpenObject),
  changeDetails: nullable(
    Type.Object({ from: OpenObject, to: OpenObject }),
    'The values before and after the change. They are `null` for callers who may not read all users, and not ' +
      'searchable.',
  ),
});

const LogSecurityContext = Type.Object({
  asNumber: nullable(Type.Integer()),
  asOrg: nullableString(),
  isp: nullableString(),
  domain: nullableString(),
  isProxy: nullable(Type.Boolean()),
  ipDetails: nullable(OpenObject),
  userBehaviors: nullable(Type.Array(OpenObject)),
  risk: nullable(OpenObject),
  botProtection: nullable(OpenObject),
});

const LogIpAddress = Type.Object({
  ip: Type.String(),
  geographicalContext: nullable(GeographicalContext),
  version: oneOf(['V4', 'V6'], 'The version of the IP address.'),
  source: nullableString(),
  ipDetails: nullable(OpenObject),
});

/** An event as the System Log serves it (specification 2.5). */
export const LogEventSchema = Type.Object(
  {
    uuid: Type.String({ format: 'uuid', description: 'The unique id of the event, a version 1 UUID.' }),
    published: Type.String({ format: 'date-time' }),
    eventType: Type.String({ description: 'The type of the event, such as `user.session.start`.' }),
    version: Type.String(),
    severity: oneOf(SEVERITIES, 'How important the event is.'),
    legacyEventType: nullableString(),
    displayMessage: Type.String(),
    actor: LogActor,
    client: LogClient,
    device: nullable(OpenObject),
    authenticationContext: LogAuthenticationContext,
    outcome: Type.Object({ result: oneOf(OUTCOME_RESULTS, 'The result of the action.'), reason: nullableString() }),
    target: nullable(Type.Array(LogTarget)),
    transaction: Type.Object({
      type: oneOf(['WEB', 'JOB'], '`WEB` stands for a request, `JOB` for a job of the service.'),
      id: Type.String({ description: 'The request id of the request that caused the event.' }),
      detail: OpenObject,
    }),
    debugContext: Type.Object({ debugData: Type.Record(Type.String(), Type.String()) }),
    securityContext: LogSecurityContext,
    request: Type.Object({ ipChain: Type.Array(LogIpAddress) }),
  },
  { $id: 'LogEvent', description: 'An event of the System Log.' },
);

export const LogEventsSchema = Type.Array(LogEventSchema);
