import { type AnyRoute, type CursorCodec, resourceRoutes, route } from '../../platform/http/index.ts';
import { sinkRoutes } from '../../system-log/index.ts';
import { EventHookBody, EventHookIdParams, EventHookListSchema, EventHookSchema } from './contract.ts';
import { createEventHook } from './create-hook.ts';
import { type VerifyPorts, verifyEventHook } from './delivery/verify-hook.ts';
import { replaceEventHook } from './replace-hook.ts';
import { changeEventHookStatus, deleteEventHook, findEventHookTarget, getEventHook } from './resource.ts';
import { readEventHooks } from './store.ts';
import { eventHookVersion, wireEventHook } from './wire.ts';

const BODY_LIMIT = {
  bytes: 1_048_576,
  reason: 'Up to 300 types of events, each with a filter of up to 2,048 characters.',
};

export interface EventHookRoutesPorts extends VerifyPorts {
  readonly cursors: CursorCodec;
}

const url = '/api/v1/eventHooks/:eventHookId';
const eventHooks = resourceRoutes({
  tag: 'EventHook',
  name: 'EventHook',
  one: 'an event hook',
  all: 'all event hooks',
  scope: 'eventHooks',
  url,
  params: EventHookIdParams,
  schema: EventHookSchema,
  wire: wireEventHook,
  version: eventHookVersion,
});

const verifyRoute = (ports: EventHookRoutesPorts): AnyRoute =>
  route({
    ...eventHooks.managing,
    operationId: 'verifyEventHook',
    method: 'POST',
    url: `${url}/lifecycle/verify`,
    summary: 'Verify an event hook',
    params: EventHookIdParams,
    response: { status: 200, schema: EventHookSchema },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params }) =>
      eventHooks.answer(await verifyEventHook(ports, context, params.eventHookId), context, { params }),
  });

export const eventHookRoutes = (ports: EventHookRoutesPorts): AnyRoute[] => [
  eventHooks.list({
    schema: EventHookListSchema,
    use: ({ context }) => readEventHooks(ports.db, context.orgId),
  }),
  eventHooks.create({
    body: EventHookBody,
    bodyLimit: BODY_LIMIT,
    use: ({ context, body }) => createEventHook(ports, context, body),
  }),
  eventHooks.get({
    use: ({ context, params }) => getEventHook(ports.db, context, params.eventHookId),
  }),
  eventHooks.replace({
    body: EventHookBody,
    bodyLimit: BODY_LIMIT,
    use: ({ context, params, body }) => replaceEventHook(ports, context, params.eventHookId, body),
  }),
  eventHooks.delete({
    errors: ['E0000038'],
    use: ({ context, params }) => deleteEventHook(ports.work, context, params.eventHookId),
  }),
  ...eventHooks.lifecycle({
    use: ({ context, params }, action) => changeEventHookStatus(ports.work, context, params.eventHookId, action),
  }),
  verifyRoute(ports),
  ...sinkRoutes({
    db: ports.db,
    work: ports.work,
    cursors: ports.cursors,
    resource: 'EventHook',
    words: 'an event hook',
    path: url,
    idParameter: 'eventHookId',
    tag: eventHooks.reading.tag,
    read: 'eventHooks.read',
    manage: 'eventHooks.manage',
    targetOf: findEventHookTarget,
  }),
];
