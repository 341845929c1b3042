import { describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { createStream, newAwsStream, newSplunkStream, TOKEN } from '../support/log-streams.ts';
import { closedSinks } from '../support/sink-providers.ts';
import { useService } from '../support/use-service.ts';
import { startAdministratorsSdk } from './node-sdk.ts';

const awsAccount = { accessKeyId: 'AKID', secretAccessKey: 'key', sessionToken: null, eventBridgeUrl: null };
const { service } = useService({ namespace: 'okta', awsAccount, sinkProviders: closedSinks });
const sdk = beforeTests(() => startAdministratorsSdk(service));

describe('the SDK', () => {
  test.each([
    ['LogStreamAws', 'LogStreamSettingsAws', newAwsStream()],
    ['LogStreamSplunk', 'LogStreamSettingsSplunk', newSplunkStream()],
  ])('reads a %s, changes it, and ends it', async (model, settingsModel, body) => {
    const { id } = await createStream(service.org, body);
    const argument = { logStreamId: id };
    expect(await sdk.models('logStreamApi.getLogStream', argument)).toMatchObject([
      { item: model, members: { settings: settingsModel, _links: 'LogStreamLinksSelfAndLifecycle' } },
    ]);
    const { settings, type } = await sdk.call('logStreamApi.getLogStream', argument);
    expect(JSON.stringify(settings)).not.toContain(TOKEN);
    const renamed = { ...argument, instance: { name: 'renamed', type, settings } };
    expect(await sdk.call('logStreamApi.replaceLogStream', renamed)).toMatchObject({
      name: 'renamed',
      status: 'ACTIVE',
    });
    expect((await sdk.collect('logStreamApi.listLogStreams')).map((stream) => stream.id)).toEqual([id]);
    for (const [action, status] of [
      ['deactivate', 'INACTIVE'],
      ['activate', 'ACTIVE'],
    ]) {
      // The SDK discards the responses to these two operations.
      await sdk.call(`logStreamApi.${action}LogStream`, argument);
      expect(await sdk.call('logStreamApi.getLogStream', argument)).toMatchObject({ status });
    }
    await sdk.call('logStreamApi.deleteLogStream', argument);
    expect(await sdk.refusal('logStreamApi.getLogStream', argument)).toMatchObject({
      status: 404,
      errorCode: 'E0000007',
    });
  });

  test('makes a stream to EventBridge', async () => {
    const made = await sdk.call('logStreamApi.createLogStream', { instance: newAwsStream() });
    expect(made).toMatchObject({ type: 'aws_eventbridge', status: 'ACTIVE', settings: { region: 'eu-west-3' } });
    await sdk.call('logStreamApi.deleteLogStream', { logStreamId: made.id });
  });

  test('makes none to Splunk: it leaves the token out, and is told so', async () => {
    expect(await sdk.refusal('logStreamApi.createLogStream', { instance: newSplunkStream() })).toMatchObject({
      status: 400,
      errorCode: 'E0000001',
      errorCauses: [{ errorSummary: 'settings.token: The field cannot be left blank' }],
    });
  });

  test('reads what streams of a type are made of', async () => {
    const all = await sdk.collect('schemaApi.listLogStreamSchemas');
    expect(all).toHaveLength(4);
    const schema = await sdk.call('schemaApi.getLogStreamSchema', { logStreamType: 'aws_eventbridge' });
    expect(schema).toMatchObject({ title: 'AWS EventBridge', id: expect.stringMatching(/\/aws_eventbridge$/) });
  });
});
