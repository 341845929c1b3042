import { Ajv } from 'ajv';
import { beforeAll, describe, expect, test } from 'vitest';
import { LogEventSchema } from '../../src/system-log/contract.ts';
import { searchTermsOf } from '../../src/system-log/rendering/terms/search-terms.ts';
import { EVENT_TYPES, EVENTS, eventDefinition, isEventType } from '../../src/system-log/write/events.ts';
import { AUTHN, step, WRONG } from '../support/authn.ts';
import type { TestResponse } from '../support/client.ts';
import { repeatingOutbound, until } from '../support/hook-receiver.ts';
import { trustProxy } from '../support/org-settings.ts';
import type { TestService } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { ANOTHER_PASSWORD, PASSWORD, QUESTION } from '../support/users.ts';
import { describeEventsOfWalk, OWN_WORDS } from '../sweeps/events-of-walk.ts';
import { useEveryRoute } from '../sweeps/use-every-route.ts';

type Event = TestResponse['body'];

/** The bundled data places this address in the United States. */
const CLIENT_ADDRESS = '8.8.8.8';
const AGENT = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:72.0) Gecko/20100101 Firefox/72.0';
const clientHeaders = { 'x-forwarded-for': CLIENT_ADDRESS, 'user-agent': AGENT };

const SECRET_NAMES = /(token|secret|password|assertion)$/i;
const SECRET_ADDRESSES = /^(activationUrl|resetPasswordUrl)$/;

const MASKED = /^\(.*\)$/;

const requestIds = new Set<string>();
const secrets = new Set<string>([PASSWORD, ANOTHER_PASSWORD, WRONG, QUESTION.answer]);

function collectFrom(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    collectFrom(member);
    if (typeof member !== 'string' || member.length < 10 || MASKED.test(member)) continue;
    if (SECRET_NAMES.test(name) || /^102[\w-]{22}$/.test(member)) secrets.add(member);
    if (SECRET_ADDRESSES.test(name)) secrets.add(member.split('/').at(-1) ?? member);
  }
}

function onAnswer(_method: string, _path: string, { body, headers }: TestResponse): void {
  requestIds.add(String(headers['x-svc-request-id']));
  collectFrom(body);
  for (const cookie of headers['set-cookie'] ?? []) {
    const value = /^\w+=([^;]{10,})/.exec(cookie)?.[1];
    if (value !== undefined) secrets.add(value);
  }
}

async function useTheRest(used: TestService): Promise<void> {
  const { application, org: own } = used;
  await step(own.anonymous, '/recovery/token', { recoveryToken: `00${'x'.repeat(18)}` });
  const zone = { type: 'IP', name: 'turned', gateways: [{ type: 'CIDR', value: '198.51.100.0/24' }] };
  const { body } = await own.admin.post('/api/v1/zones', { body: { ...zone, usage: 'BLOCKLIST' } });
  await own.admin.put(`/api/v1/zones/${body.id}`, { body: { ...zone, usage: 'POLICY' } });
  const home = { type: 'IP', name: 'Home', gateways: [{ type: 'CIDR', value: '8.8.8.0/24' }] };
  await own.admin.post('/api/v1/zones', { body: home });
  const optional = { base: { properties: { firstName: { required: false } } } };
  await own.admin.post('/api/v1/meta/schemas/user/default', { body: { definitions: optional } });
  await application.routingEvents.flush(true);
}

const ajv = new Ajv({ formats: { uuid: true, 'date-time': true } });
const validate = ajv.compile(LogEventSchema);

const { service, org } = useService({ outbound: repeatingOutbound, clientHeaders, onAnswer });
let rows: { org_id: string; tokens: number[]; event: Event; text: string }[];

beforeAll(async () => {
  secrets.add(org.adminToken);
  await trustProxy(service, org, '127.0.0.1/32');
  await useEveryRoute(service);
  await useTheRest(service);
  // A job notifies clients of logouts, and may still be running.
  await until('the notice of a logout', async () => {
    await service.drained();
    const notices = "select 1 from log_unsealed where body::jsonb ->> 'eventType' = 'user.authentication.slo' limit 1";
    return (await service.database.pool.query(notices)).rows.length > 0;
  });
  const text = 'select org_id, tokens, body as text from log_unsealed order by org_id, position';
  const result = await service.database.pool.query<{ org_id: string; tokens: number[]; text: string }>(text);
  rows = result.rows.map((row) => ({ ...row, event: JSON.parse(row.text) }));
}, 120_000);

const typesWhere = (isWrong: (event: Event, orgId: string) => boolean): string[] => [
  ...new Set(rows.filter(({ event, org_id: orgId }) => isWrong(event, orgId)).map(({ event }) => event.eventType)),
];

const isRequest = ({ transaction }: Event): boolean => transaction.type === 'WEB';

/** Event types that this test does not cause. */
const NOT_DRIVEN = [
  'core.concurrency.org.limit.violation',
  'system.log.event.erase',
  'system.org.rate_limit.warning',
  // Only orgs that use the current event names record the next four types.
  'app.oauth2.as.authorize.implicit.access_token',
  'app.oauth2.as.authorize.implicit.id_token',
  'app.oauth2.authorize.implicit.access_token',
  'app.oauth2.authorize.implicit.id_token',
  'app.oauth2.token.revoke.implicit.client',
  'app.oauth2.as.token.grant',
  'event_hook.delivery',
  'group.user_membership.rule.error',
  'system.client.rate_limit.violation',
  'system.import.complete',
  'system.import.start',
  'system.log.cursor.skip',
  'system.log.delivery.dead_letter',
  'system.log.event.quarantine',
  'system.log.export',
  'system.log_stream.delivery',
  'system.operation.rate_limit.violation',
  'system.org.export',
  'system.org.import',
  'account.org.delete.request',
  'system.org.lifecycle.delete',
  'system.org.rate_limit.violation',
  'system.org.rename',
];

test('nearly every type is among them', () => {
  const seen = new Set(rows.map(({ event }) => event.eventType));
  expect(EVENT_TYPES.filter((eventType) => !seen.has(eventType)).sort()).toEqual(NOT_DRIVEN.toSorted());
});

describe('every event', () => {
  test('is what the schema says', () => {
    for (const { event } of rows) expect(validate(event), JSON.stringify([event, validate.errors])).toBe(true);
  });

  test('has the tokens of its text', () => {
    for (const { event, org_id: orgId, tokens } of rows) expect(tokens).toEqual(searchTermsOf(orgId, event));
  });

  test('has an actor who is somebody, and of the right kind', () => {
    const fields = ['id', 'type', 'alternateId', 'displayName'] as const;
    expect(typesWhere(({ actor }) => fields.some((field) => actor[field] === ''))).toEqual([]);
    const kinds = ['User', 'PublicClientApp', 'SystemPrincipal'];
    expect(typesWhere(({ actor }) => !kinds.includes(actor.type))).toEqual([]);
    expect(typesWhere((event) => isRequest(event) && event.actor.type === 'SystemPrincipal')).toEqual([]);
    const clients = typesWhere(({ actor }) => actor.type === 'PublicClientApp');
    expect(clients.every((eventType) => eventType.startsWith('app.oauth2.'))).toBe(true);
  });

  test('says unknown only of those who came without a credential', () => {
    expect(typesWhere((event) => isRequest(event) && event.actor.id === 'unknown').sort()).toEqual(UNKNOWN_ACTORS);
  });

  test('bears the id of the request that caused it', () => {
    expect(typesWhere((event) => isRequest(event) && !requestIds.has(event.transaction.id))).toEqual([]);
    expect(typesWhere(({ debugContext, transaction }) => debugContext.debugData.requestId !== transaction.id)).toEqual(
      [],
    );
    expect(
      typesWhere((event) => isRequest(event) && !event.debugContext.debugData.requestUri?.startsWith('/')),
    ).toEqual([]);
  });

  test('has the address it came from, each on its way, and where they are', () => {
    const isAway = (event: Event, orgId: string) => isRequest(event) && orgId === org.id;
    const chain = [
      { ip: CLIENT_ADDRESS, version: 'V4', source: null, ipDetails: null, geographicalContext: UNITED_STATES },
      { ip: '127.0.0.1', version: 'V4', source: null, ipDetails: null, geographicalContext: null },
    ];
    for (const { event, org_id: orgId } of rows.filter((row) => isAway(row.event, row.org_id))) {
      expect([orgId, event.eventType, event.request.ipChain]).toEqual([org.id, event.eventType, chain]);
      expect(event.client).toMatchObject({
        userAgent: { rawUserAgent: AGENT, os: 'Mac OS X', browser: 'FIREFOX' },
        device: 'Computer',
        ipAddress: CLIENT_ADDRESS,
        geographicalContext: UNITED_STATES,
      });
    }
    expect(typesWhere((event) => isRequest(event) && event.request.ipChain.length === 0)).toEqual([]);
  });

  test('of no request: no client, unless it speaks of one', () => {
    const about = typesWhere((event) => !isRequest(event) && event.client.ipAddress !== null).sort();
    expect(about).toEqual([
      'security.access.deny',
      'security.credential.refuse',
      'security.request.blocked',
      'system.api_token.request_outside_allowed_range',
      'system.idp.route',
    ]);
    expect(typesWhere(({ client, request }) => (client.ipAddress === null) !== (request.ipChain.length === 0))).toEqual(
      [],
    );
    expect(typesWhere(({ client }) => client.ipAddress === null && client.userAgent !== null)).toEqual([]);
  });

  test('says what the catalogue says, or one of the few other things', () => {
    const wrong = ({ displayMessage, eventType }: Event) =>
      displayMessage === '' ||
      (displayMessage !== definitionOf(eventType).displayMessage && !OWN_WORDS.has(displayMessage));
    expect(typesWhere(wrong)).toEqual([]);
  });

  test('has targets as the catalogue has them, and the first kind of them', () => {
    const kindsOf = ({ target }: Event): string[] => (target ?? []).map(({ type }: { type: string }) => type);
    const isStrange = (event: Event): boolean => {
      const known = definitionOf(event.eventType).targetTypes;
      const places = kindsOf(event).map((kind) => known.indexOf(kind));
      return places.includes(-1) || places.some((place, index) => place < (places[index - 1] ?? 0));
    };
    expect(typesWhere(isStrange)).toEqual([]);
    const lacking = typesWhere((event) => kindsOf(event)[0] !== definitionOf(event.eventType).targetTypes[0]);
    expect(lacking.sort()).toEqual(['system.log.delivery.replay', 'user.account.use_token', 'user.session.start']);
    expect(typesWhere(({ target }) => target?.some(({ id }: { id: string }) => id === '') === true)).toEqual([]);
  });

  test('tells no secret that was handed out or sent', () => {
    for (const form of SECRET_FORMS)
      expect(
        [...secrets].some((secret) => form.test(secret)),
        String(form),
      ).toBe(true);
    for (const secret of secrets) {
      const telling = rows.filter(({ text }) => text.includes(secret)).map(({ event }) => event.eventType);
      expect(telling, `a secret of ${secret.length} characters`).toEqual([]);
      expect(service.logged().includes(secret), 'in the log of the server').toBe(false);
    }
  });
});

const definitionOf = (eventType: string) => {
  const [own] = Object.entries(EVENTS).find(([, { currentEventType }]) => currentEventType === eventType) ?? [
    eventType,
  ];
  if (!isEventType(own)) throw new Error(`${eventType} is not in the catalogue`);
  return eventDefinition(own);
};

/** Patterns that match a password, a session id, an access token, an API token and a client secret. */
const SECRET_FORMS = [/^Correct/, /^102/, /^eyJ/, /^00/, /^[\w-]{40,}$/];

const UNITED_STATES = { city: null, state: null, country: 'United States', postalCode: null, geolocation: null };

/** Types of events whose actor can be unknown, because they also record requests without a valid credential. */
const UNKNOWN_ACTORS = [
  'app.oauth2.as.authorize.token.grant_failure',
  'user.account.reset_password',
  'user.account.unlock_token',
  'user.account.use_token',
  'user.session.start',
];

describeEventsOfWalk(() => rows.map(({ event }) => event));

describe('who asked, and how that is known', () => {
  const one = async (response: TestResponse): Promise<Event> => {
    const [event] = await org.systemLog(`transaction.id eq "${String(response.headers['x-svc-request-id'])}"`);
    return event;
  };

  test('by API token: the token is named, no session is', async () => {
    const event = await one(await org.admin.post('/api/v1/users', { body: { profile: profileOf('token') } }));
    expect(event).toMatchObject({
      client: { id: null, zone: 'Home' },
      authenticationContext: { credentialType: null, externalSessionId: null, rootSessionId: null },
      transaction: { detail: { requestApiTokenId: expect.stringMatching(/^00T/) } },
    });
  });

  test('by session: both of its public ids', async () => {
    const user = await org.createUser({ credentials: { password: { value: PASSWORD } } });
    const body = { username: user.profile.login, password: PASSWORD };
    const { body: started } = await org.anonymous.post(AUTHN, { body });
    const opened = await org.anonymous.post('/api/v1/sessions', { body: { sessionToken: started.sessionToken } });
    const client = org.client({ cookie: `sid=${opened.body.id}` });
    const event = await one(await client.post('/api/v1/sessions/me/lifecycle/refresh', { body: {} }));
    expect(event).toMatchObject({
      actor: { id: user.id, type: 'User', alternateId: user.profile.login },
      authenticationContext: {
        authenticationProvider: 'SVC_AUTHENTICATION_PROVIDER',
        credentialType: 'SVC_CLIENT_SESSION',
        externalSessionId: expect.stringMatching(/^trs/),
        rootSessionId: expect.stringMatching(/^trs/),
      },
      transaction: { detail: {} },
    });
    expect(event.authenticationContext.externalSessionId).not.toBe(opened.body.id);
  });
});

const profileOf = (name: string) => ({
  firstName: 'Ada',
  lastName: 'Lovelace',
  login: `${name}@events.example`,
  email: `${name}@events.example`,
  nickName: 'Ada',
});
