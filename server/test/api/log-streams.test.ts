import { describe, expect, test } from 'vitest';
import {
  createStream,
  HMAC_SECRET,
  newAwsStream,
  newFileStream,
  newHttpsStream,
  newSplunkStream,
  STREAMS,
  TOKEN,
} from '../support/log-streams.ts';
import { closedSinks } from '../support/sink-providers.ts';
import { useService } from '../support/use-service.ts';

const awsAccount = { accessKeyId: 'AKID', secretAccessKey: 'key', sessionToken: null, eventBridgeUrl: null };
const { service, org } = useService({ awsAccount, sinkProviders: closedSinks });

const pathOf = ({ id }: { id: string }): string => `${STREAMS}/${id}`;
const namesOf = (streams: readonly { name: string }[]) => streams.map(({ name }) => name);
const sinks = async ({ id }: { id: string }): Promise<unknown[]> => {
  const text = 'select status, kind from log_sinks where id = $1';
  return (await service.database.pool.query(text, [id])).rows;
};

describe('create', () => {
  test.each([
    ['aws_eventbridge', newAwsStream(), {}],
    ['splunk_cloud_logstreaming', newSplunkStream(), { token: undefined }],
    ['https_ndjson', newHttpsStream(), { gzip: true, secret: undefined }],
    ['file_ndjson', newFileStream(), { maximumMegabytes: 100, maximumFiles: 30 }],
  ])('%s answers the object as recorded, active, without the secret', async (type, body, shown) => {
    const own = await service.newOrg();
    // The published clients also send the members that only the service sets.
    const sent = {
      ...body,
      id: '',
      status: 'INACTIVE',
      created: '0001-01-01T00:00:00Z',
      _links: { self: { href: '' } },
    };
    const stream = await createStream(own, sent);
    const address = `${own.baseUrl}${STREAMS}/${stream.id}`;
    expect(stream).toEqual({
      id: expect.stringMatching(/^0oa[0-9A-Za-z]{17}$/),
      type,
      name: body['name'],
      status: 'ACTIVE',
      created: expect.stringMatching(/\.000Z$/),
      lastUpdated: stream.created,
      settings: { ...Object(body['settings']), ...shown },
      _links: {
        self: { href: address, method: 'GET' },
        deactivate: { href: `${address}/lifecycle/deactivate`, method: 'POST' },
      },
    });
    expect((await own.admin.get(pathOf(stream))).body).toEqual(stream);
    expect((await own.admin.get(STREAMS)).body).toEqual([stream]);
    expect(await sinks(stream)).toEqual([{ status: 'ACTIVE', kind: 'log_stream' }]);
    const [created] = await own.systemLog('eventType eq "system.log_stream.lifecycle.create"');
    expect(created.target).toMatchObject([
      {
        id: stream.id,
        type: 'LogStream',
        displayName: body['name'],
        changeDetails: { from: {}, to: { name: body['name'], status: 'ACTIVE', type } },
      },
    ]);
  });

  test('the files of an org have room together, as the operator has set', async () => {
    const own = await service.newOrg();
    const file = (maximumMegabytes: number, maximumFiles: number) => ({
      ...newFileStream(),
      settings: { maximumMegabytes, maximumFiles },
    });
    const one = await own.admin.post(STREAMS, { body: file(100, 60) });
    expect(one.status).toBe(200);
    const refused = { status: 400, body: { errorCode: 'E0000001' } };
    expect(await own.admin.post(STREAMS, { body: file(100, 41) })).toMatchObject(refused);
    expect((await own.admin.post(STREAMS, { body: file(100, 40) })).status).toBe(200);
    expect(await own.admin.put(`${STREAMS}/${one.body.id}`, { body: file(100, 61) })).toMatchObject(refused);
    expect((await own.admin.put(`${STREAMS}/${one.body.id}`, { body: file(10, 600) })).status).toBe(200);
  });

  test('secrets are sealed for their place, and nowhere to be read', async () => {
    const own = await service.newOrg();
    const secretive = newHttpsStream({ url: 'https://streams.example/in?k=hidden' });
    const streams = [await createStream(own, newSplunkStream()), await createStream(own, secretive)];
    for (const { id } of streams) {
      const { rows } = await service.database.pool.query(
        'select sealed_secret, log_streams::text as row from log_streams where org_id = $1 and id = $2',
        [own.id, id],
      );
      expect(rows[0].sealed_secret).toBeInstanceOf(Buffer);
      for (const secret of [TOKEN, HMAC_SECRET]) {
        for (const form of [secret, Buffer.from(secret).toString('hex')]) expect(rows[0].row).not.toContain(form);
      }
    }
    const told = JSON.stringify(await own.systemLog());
    expect(told).toContain('(set ');
    expect(told).toContain('https://streams.example/in?...');
    for (const hidden of [TOKEN, HMAC_SECRET, 'k=hidden']) {
      expect(told).not.toContain(hidden);
      expect(service.logged()).not.toContain(hidden);
    }
  });

  test.each<[string, Record<string, unknown>]>([
    ['name', { ...newFileStream(), name: ' ' }],
    ['name', { ...newFileStream(), name: 'a'.repeat(101) }],
    ['name', { ...newFileStream(), name: 'a\nb' }],
    ['type', { ...newFileStream(), type: 'pigeon' }],
    ['type', { ...newFileStream(), type: '' }],
    ['settings.accountId', newAwsStream({ accountId: undefined })],
    ['settings.accountId', newAwsStream({ accountId: '12345678901' })],
    ['settings.accountId', newAwsStream({ accountId: '12345678901a' })],
    ['settings.eventSourceName', newAwsStream({ eventSourceName: '' })],
    ['settings.eventSourceName', newAwsStream({ eventSourceName: 'a b' })],
    ['settings.eventSourceName', newAwsStream({ eventSourceName: 'a'.repeat(76) })],
    ['settings.region', newAwsStream({ region: undefined })],
    ['settings.region', newAwsStream({ region: 'eu-nowhere-1' })],
    ['settings.region', newAwsStream({ region: 'toString' })],
    ['settings.host', newSplunkStream({ host: undefined })],
    ['settings.host', newSplunkStream({ host: 'https://acme.splunk.example' })],
    ['settings.host', newSplunkStream({ host: 'acme.splunk.example:8088' })],
    ['settings.host', newSplunkStream({ host: 'acme.splunk.example/x' })],
    ['settings.host', newSplunkStream({ host: 'ada@acme.splunk.example' })],
    ['settings.host', newSplunkStream({ host: 'acme.splunk.example.' })],
    ['settings.host', newSplunkStream({ host: 'localhost' })],
    ['settings.host', newSplunkStream({ host: '127.0.0.1' })],
    ['settings.host', newSplunkStream({ host: '[::1]' })],
    ['settings.host', newSplunkStream({ host: 'acme.splunk.example\n' })],
    ['settings.host', newSplunkStream({ host: `${'a.'.repeat(56)}example` })],
    ['settings.edition', newSplunkStream({ edition: undefined })],
    ['settings.edition', newSplunkStream({ edition: 'azure' })],
    ['settings.token', newSplunkStream({ token: undefined })],
    ['settings.token', newSplunkStream({ token: 'not a guid' })],
    ['settings.token', newSplunkStream({ token: `${TOKEN}\r\nHost: evil.example` })],
    ['settings.url', newHttpsStream({ url: undefined })],
    ['settings.url', newHttpsStream({ url: 'streams.example' })],
    ['settings.url', newHttpsStream({ url: 'http://streams.example/' })],
    ['settings.url', newHttpsStream({ url: 'https://ada:pass@streams.example/' })],
    ['settings.url', newHttpsStream({ url: 'https://streams.example/#part' })],
    ['settings.url', newHttpsStream({ url: 'https://streams.example\\@evil.example/' })],
    ['settings.url', newHttpsStream({ url: `https://streams.example/${'a'.repeat(1_001)}` })],
    ['settings.secret', newHttpsStream({ secret: undefined })],
    ['settings.secret', newHttpsStream({ secret: 'a'.repeat(15) })],
    ['settings.secret', newHttpsStream({ secret: 'a'.repeat(1_025) })],
    ['settings.maximumMegabytes', newFileStream({ maximumMegabytes: 0 })],
    ['settings.maximumMegabytes', newFileStream({ maximumMegabytes: 1_025 })],
    ['settings.maximumMegabytes', newFileStream({ maximumMegabytes: 1.5 })],
    ['settings.maximumFiles', newFileStream({ maximumFiles: 0 })],
    ['settings.maximumFiles', newFileStream({ maximumFiles: 1_001 })],
  ])('is refused by the field %s: %j', async (field, body) => {
    const before = (await org.admin.get(STREAMS)).body;
    const refused = await org.admin.post(STREAMS, { body });
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(refused.body.errorCauses[0].errorSummary.split(': ')[0]).toBe(field);
    expect((await org.admin.get(STREAMS)).body).toEqual(before);
  });

  test.each([
    { ...newFileStream(), name: 5 },
    { ...newFileStream(), settings: null },
    { name: 'no settings', type: 'file_ndjson' },
    { ...newFileStream(), type: null },
    newHttpsStream({ gzip: 'yes' }),
    newHttpsStream({ secret: 5 }),
    newAwsStream({ accountId: 123_456_789_012 }),
    newFileStream({ maximumFiles: '5' }),
  ])('is refused for its shape: %j', async (body) => {
    expect(await org.admin.post(STREAMS, { body })).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
  });

  test('names are unique in the org; a repeated key makes one stream', async () => {
    const own = await service.newOrg();
    const body = newFileStream();
    const headers = { 'idempotency-key': 'one' };
    const first = await own.admin.post(STREAMS, { body, headers });
    expect((await own.admin.post(STREAMS, { body, headers })).body).toEqual(first.body);
    const again = await own.admin.post(STREAMS, { body });
    expect(again).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(again.body.errorCauses[0].errorSummary).toMatch(/^name: /);
    expect((await own.admin.get(STREAMS)).body).toEqual([first.body]);
    const other = await service.newOrg();
    expect(await createStream(other, body)).toMatchObject({ name: body['name'] });
  });

  test('10 fit into an org, however many are made at once', async () => {
    const own = await service.newOrg();
    const made = await Promise.all(
      Array.from({ length: 15 }, () => own.admin.post(STREAMS, { body: newHttpsStream() })),
    );
    expect(made.filter(({ status }) => status === 200)).toHaveLength(10);
    for (const { body } of made.filter(({ status }) => status !== 200)) {
      expect(body.errorCauses).toEqual([{ errorSummary: 'name: An org may have at most 10 log streams.' }]);
    }
    expect((await own.admin.get(STREAMS)).body).toHaveLength(10);
  });
});

describe('the life of a stream', () => {
  test('is active, inactive, active again, gone; what is done twice is done once', async () => {
    const own = await service.newOrg();
    const stream = await createStream(own, newHttpsStream());
    const path = pathOf(stream);
    for (const [action, status] of [
      ['activate', 'ACTIVE'],
      ['deactivate', 'INACTIVE'],
      ['deactivate', 'INACTIVE'],
      ['activate', 'ACTIVE'],
    ]) {
      expect(await own.admin.post(`${path}/lifecycle/${action}`)).toMatchObject({ status: 200, body: { status } });
      expect(await sinks(stream)).toEqual([{ status: status === 'ACTIVE' ? 'ACTIVE' : 'STOPPED', kind: 'log_stream' }]);
    }
    expect((await own.admin.post(`${path}/lifecycle/deactivate`)).body._links).toEqual({
      self: { href: `${own.baseUrl}${path}`, method: 'GET' },
      activate: { href: `${own.baseUrl}${path}/lifecycle/activate`, method: 'POST' },
    });
    const gone = await Promise.all([own.admin.del(path), own.admin.del(path)]);
    expect(gone.map(({ status }) => status).toSorted()).toEqual([204, 404]);
    expect(await sinks(stream)).toEqual([]);
    for (const action of ['activate', 'deactivate']) {
      expect(await own.admin.post(`${path}/lifecycle/${action}`)).toMatchObject({ status: 404 });
    }
    const logged = await own.systemLog('eventType sw "system.log_stream"');
    expect(logged.map(({ eventType }) => eventType.split('.').at(-1))).toEqual([
      'create',
      'deactivate',
      'activate',
      'deactivate',
      'delete',
    ]);
    expect(logged.at(-1).target[0].changeDetails).toMatchObject({ from: { type: 'https_ndjson' }, to: {} });
  });

  test('may end while it is active', async () => {
    const stream = await createStream(org, newFileStream());
    expect(await org.admin.del(pathOf(stream))).toMatchObject({ status: 204 });
    expect(await org.admin.get(pathOf(stream))).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
  });

  test('is nobody else’s: other orgs 404, other roles 403', async () => {
    const other = await service.newOrg();
    const stream = await createStream(other, newHttpsStream());
    const path = pathOf(stream);
    const reader = await other.withRoles('READ_ONLY_ADMIN');
    const helper = await other.withRoles('HELP_DESK_ADMIN');
    for (const [method, address, body] of [
      ['GET', path, undefined],
      ['PUT', path, newHttpsStream()],
      ['DELETE', path, undefined],
      ['POST', `${path}/lifecycle/activate`, undefined],
      ['POST', `${path}/lifecycle/deactivate`, undefined],
      ['GET', `${path}/deliveries`, undefined],
      ['GET', `${path}/delivery`, undefined],
      ['POST', `${path}/lifecycle/replay`, { position: 1 }],
    ] as const) {
      const given = body === undefined ? {} : { body };
      expect(await org.admin.send(method, address, given)).toMatchObject({ status: 404 });
      expect(await helper.send(method, address, given)).toMatchObject({ status: 403 });
      expect((await reader.send(method, address, given)).status).toBe(method === 'GET' ? 200 : 403);
    }
    expect((await other.admin.get(path)).body).toEqual(stream);
    expect(namesOf((await org.admin.get(STREAMS)).body)).not.toContain(stream.name);
  });
});
