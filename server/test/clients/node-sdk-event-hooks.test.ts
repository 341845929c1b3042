import { describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { newHook, SECRET, startHookReceiver, until } from '../support/hook-receiver.ts';
import { useService } from '../support/use-service.ts';
import { startAdministratorsSdk } from './node-sdk.ts';

const receiver = beforeTests(startHookReceiver);
const { service } = useService(() => ({ namespace: 'okta', outbound: receiver.outbound() }));
const sdk = beforeTests(() => startAdministratorsSdk(service));

describe('the SDK', () => {
  test('makes a hook, verifies it, changes it, reads what comes, and ends it', async () => {
    const eventHook = newHook(receiver.uri());
    const { id, channel } = await sdk.call('eventHookApi.createEventHook', { eventHook });
    const argument = { eventHookId: id };
    expect(JSON.stringify(channel)).not.toContain(SECRET);
    expect(await sdk.models('eventHookApi.getEventHook', argument)).toMatchObject([
      { item: 'EventHook', members: { channel: 'EventHookChannel', events: 'EventSubscriptions' } },
    ]);
    expect(await sdk.call('eventHookApi.verifyEventHook', argument)).toMatchObject({ verificationStatus: 'VERIFIED' });
    expect(receiver.requests[0]?.headers).toHaveProperty('x-okta-verification-challenge');

    const read = await sdk.call('eventHookApi.getEventHook', argument);
    const { events, channel: sent } = read;
    const renamed = { ...argument, eventHook: { name: 'renamed', events, channel: sent } };
    expect(await sdk.call('eventHookApi.replaceEventHook', renamed)).toMatchObject({
      name: 'renamed',
      verificationStatus: 'VERIFIED',
    });
    const user = await service.org.createUser();
    await until('the event', () => receiver.events(service.org).length > 0);
    expect(receiver.taken(service.org)[0]).toMatchObject({
      eventType: 'com.okta.event_hook',
      cloudEventsVersion: '0.1',
    });
    expect(receiver.events(service.org)[0]).toMatchObject({
      eventType: 'user.lifecycle.create',
      target: [{ id: user.id }],
      client: { ipChain: [{}] },
    });

    expect((await sdk.collect('eventHookApi.listEventHooks')).map((hook) => hook.id)).toEqual([id]);
    expect(await sdk.refusal('eventHookApi.deleteEventHook', argument)).toMatchObject({ status: 403 });
    await sdk.call('eventHookApi.deactivateEventHook', argument);
    await sdk.call('eventHookApi.activateEventHook', argument);
    expect(await sdk.call('eventHookApi.deactivateEventHook', argument)).toMatchObject({ status: 'INACTIVE' });
    await sdk.call('eventHookApi.deleteEventHook', argument);
    expect(await sdk.refusal('eventHookApi.getEventHook', argument)).toMatchObject({
      status: 404,
      errorCode: 'E0000007',
    });
  });

  test('is told why a verification failed', async () => {
    const { id } = await sdk.call('eventHookApi.createEventHook', { eventHook: newHook(receiver.uri()) });
    receiver.answerBy((_, response) => response.writeHead(403).end());
    expect(await sdk.refusal('eventHookApi.verifyEventHook', { eventHookId: id })).toMatchObject({
      status: 400,
      errorCode: 'E0000001',
    });
  });
});
