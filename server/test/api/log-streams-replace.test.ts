import { beforeAll, describe, expect, test } from 'vitest';
import {
  createStream,
  newAwsStream,
  newFileStream,
  newHttpsStream,
  newSplunkStream,
  STREAMS,
  TOKEN,
} from '../support/log-streams.ts';
import { startTestService, type TestOrg } from '../support/service.ts';
import { closedSinks } from '../support/sink-providers.ts';
import { useService } from '../support/use-service.ts';

const awsAccount = { accessKeyId: 'AKID', secretAccessKey: 'key', sessionToken: null, eventBridgeUrl: null };
const { service } = useService({ awsAccount, sinkProviders: closedSinks });
let org: TestOrg;

const pathOf = ({ id }: { id: string }): string => `${STREAMS}/${id}`;
const replace = (stream: { id: string }, body: unknown) => org.admin.put(pathOf(stream), { body });
const updates = (stream: { id: string }) =>
  org.systemLog(`eventType eq "system.log_stream.lifecycle.update" and target.id eq "${stream.id}"`);
const sealed = async ({ id }: { id: string }): Promise<Buffer | null> => {
  const text = 'select sealed_secret from log_streams where org_id = $1 and id = $2';
  return (await service.database.pool.query(text, [org.id, id])).rows[0].sealed_secret;
};

describe('replace', () => {
  beforeAll(() => {
    org = service.org;
  });

  test.each([newAwsStream(), newSplunkStream(), newHttpsStream(), newFileStream()])(
    'what was read goes back in, and changes nothing that was not changed: $type',
    async (body) => {
      const stream = await createStream(org, body);
      const before = await sealed(stream);
      const name = `${stream.name} renamed`;
      const answer = await replace(stream, { ...stream, name });
      expect(answer).toMatchObject({ status: 200 });
      expect(answer.body).toEqual({ ...stream, name, lastUpdated: expect.any(String) });
      expect((await org.admin.get(pathOf(stream))).body).toEqual(answer.body);
      expect(await sealed(stream)).toEqual(before);
      const [updated] = await updates(stream);
      expect(updated.target[0].changeDetails).toEqual({ from: { name: stream.name }, to: { name } });
      await org.admin.del(pathOf(stream));
    },
  );

  test('keeps the status, whatever the body says', async () => {
    const stream = await createStream(org, newFileStream());
    await org.admin.post(`${pathOf(stream)}/lifecycle/deactivate`);
    expect((await replace(stream, { ...stream, status: 'ACTIVE' })).body).toMatchObject({ status: 'INACTIVE' });
    await org.admin.del(pathOf(stream));
  });

  test('a token that is left out stays, for the same instance alone', async () => {
    const stream = await createStream(org, newSplunkStream());
    const before = await sealed(stream);
    const body = (settings: object) => ({ name: stream.name, type: stream.type, settings });
    const kept = { host: 'ACME.splunk.example', edition: 'aws' };
    expect(await replace(stream, body(kept))).toMatchObject({ status: 200 });
    for (const settings of [
      { host: 'evil.splunk.example', edition: 'aws' },
      { host: 'acme.splunk.example', edition: 'gcp' },
    ]) {
      const refused = await replace(stream, body(settings));
      expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
      expect(refused.body.errorCauses[0].errorSummary).toMatch(/^settings\.token: /);
    }
    expect(await sealed(stream)).toEqual(before);
    expect(await replace(stream, body({ host: 'other.splunk.example', edition: 'gcp', token: TOKEN }))).toMatchObject({
      status: 200,
      body: { settings: { host: 'other.splunk.example', edition: 'gcp' } },
    });
    await org.admin.del(pathOf(stream));
  });

  test('a secret that is left out stays, for the same origin alone', async () => {
    const stream = await createStream(org, newHttpsStream());
    const before = await sealed(stream);
    const body = (settings: object) => ({ name: stream.name, type: stream.type, settings });
    const moved = await replace(stream, body({ url: 'https://streams.example:443/other', gzip: false }));
    expect(moved).toMatchObject({ status: 200, body: { settings: { gzip: false } } });
    for (const url of ['https://evil.example/in', 'https://streams.example:8443/in']) {
      const refused = await replace(stream, body({ url }));
      expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
      expect(refused.body.errorCauses[0].errorSummary).toMatch(/^settings\.secret: /);
    }
    expect(await sealed(stream)).toEqual(before);
    const secret = 'the-next-secret-of-it';
    expect(await replace(stream, body({ url: 'https://other.example/in', secret }))).toMatchObject({ status: 200 });
    expect(await sealed(stream)).not.toEqual(before);
    const updated = (await updates(stream)).at(-1);
    const { from, to } = updated.target[0].changeDetails;
    expect(to.secret).toMatch(/^\(set [\da-f]{8}\)$/);
    expect(to.secret).not.toBe(from.secret);
    expect(JSON.stringify(updated)).not.toContain(secret);
    expect(service.logged()).not.toContain(secret);
    await org.admin.del(pathOf(stream));
  });

  test.each([
    ['accountId', '999999999999'],
    ['eventSourceName', 'another'],
    ['region', 'us-east-1'],
  ])('a bus stays what it is: %s', async (member, value) => {
    const stream = await createStream(org, newAwsStream());
    const refused = await replace(stream, { ...stream, settings: { ...stream.settings, [member]: value } });
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(refused.body.errorCauses).toEqual([{ errorSummary: `settings.${member}: cannot be changed.` }]);
    expect((await org.admin.get(pathOf(stream))).body).toEqual(stream);
    await org.admin.del(pathOf(stream));
  });

  test('the type stays, names stay unique, and what is wrong is refused as on creation', async () => {
    const stream = await createStream(org, newHttpsStream());
    const other = await createStream(org, newFileStream());
    for (const [field, body] of [
      ['type', newFileStream()],
      ['type', { ...newHttpsStream(), type: 'pigeon' }],
      ['name', { ...newHttpsStream(), name: other.name }],
      ['name', { ...newHttpsStream(), name: '' }],
      ['settings.url', newHttpsStream({ url: 'http://streams.example/' })],
    ] as const) {
      const refused = await replace(stream, body);
      expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
      expect(refused.body.errorCauses[0].errorSummary.split(': ')[0]).toBe(field);
    }
    expect((await org.admin.get(pathOf(stream))).body).toEqual(stream);
    expect(await replace({ id: '0oa00000000000000000' }, newFileStream())).toMatchObject({ status: 404 });
    for (const one of [stream, other]) await org.admin.del(pathOf(one));
  });

  test('of two at once each is whole, and both are told', async () => {
    const stream = await createStream(org, newFileStream());
    const bodies = [1, 2].map((count) => ({ ...newFileStream({ maximumFiles: count, maximumMegabytes: count }) }));
    const answers = await Promise.all(bodies.map((body) => replace(stream, body)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const { name, settings } = (await org.admin.get(pathOf(stream))).body;
    expect(bodies.map((body) => ({ name: body['name'], settings: body['settings'] }))).toContainEqual({
      name,
      settings,
    });
    expect(await updates(stream)).toHaveLength(2);
  });
});

test('without credentials of the operator there are no streams to EventBridge', async () => {
  const bare = await startTestService({ sinkProviders: closedSinks });
  try {
    const refused = await bare.org.admin.post(STREAMS, { body: newAwsStream() });
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(refused.body.errorCauses[0].errorSummary).toMatch(/^type: .*AWS credentials/);
    expect((await bare.org.admin.get(STREAMS)).body).toEqual([]);
    expect(await createStream(bare.org, newSplunkStream())).toMatchObject({ status: 'ACTIVE' });
  } finally {
    await bare.close();
  }
});
