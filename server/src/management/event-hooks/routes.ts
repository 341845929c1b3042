import type { Context } from '../../kernel/context.ts';
import type { AnyRoute, CursorCodec } from '../../platform/http/index.ts';
import { type Answer, noContent, ok, route, versioned } from '../../platform/http/index.ts';
import { sinkRoutes } from '../../system-log/index.ts';
import { changeEventHookStatus } from './change-status.ts';
import { EventHookBody, EventHookIdParams, EventHookListSchema, EventHookSchema } from './contract.ts';
import { createEventHook } from './create-hook.ts';
import { deleteEventHook } from './delete-hook.ts';
import { type VerifyPorts, verifyEventHook } from './delivery/verify-hook.ts';
import { findEventHookTarget, getEventHook } from './get-hook.ts';
import type { EventHookAction } from './lifecycle.ts';
import { replaceEventHook } from './replace-hook.ts';
import type { EventHook } from './store.ts';
import { readEventHooks } from './store.ts';
import { eventHookVersion, wireEventHook } from './wire.ts';

const BODY_LIMIT = {
  bytes: 1_048_576,
  reason: 'Up to 300 types of events, each with a filter of up to 2,048 characters.',
};

export interface EventHookRoutesPorts extends VerifyPorts {
  readonly cursors: CursorCodec;
}

const common = { tag: 'EventHook', access: 'authenticated', bucket: 'management', cors: false } as const;
const reading = { ...common, scopes: ['eventHooks.read'], permission: 'eventHooks.read' } as const;
const managing = { ...common, scopes: ['eventHooks.manage'], permission: 'eventHooks.manage' } as const;
const collection = '/api/v1/eventHooks';
const single = `${collection}/:eventHookId`;

const answer = (eventHook: EventHook, context: Context): Answer =>
  versioned(eventHookVersion(eventHook), wireEventHook(eventHook, context));

const listRoute = ({ db }: EventHookRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listEventHooks',
    method: 'GET',
    url: collection,
    summary: 'List all event hooks',
    response: { status: 200, schema: EventHookListSchema },
    errors: [],
    handler: async ({ context }) =>
      ok((await readEventHooks(db, context.orgId)).map((hook) => wireEventHook(hook, context))),
  });

const createRoute = (ports: EventHookRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'createEventHook',
    bodyLimit: BODY_LIMIT,
    method: 'POST',
    url: collection,
    summary: 'Create an event hook',
    body: EventHookBody,
    idempotent: true,
    response: { status: 200, schema: EventHookSchema },
    errors: ['E0000001', 'E0000195'],
    handler: async ({ context, body }) => answer(await createEventHook(ports, context, body), context),
  });

const getRoute = ({ db }: EventHookRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'getEventHook',
    method: 'GET',
    url: single,
    summary: 'Retrieve an event hook',
    params: EventHookIdParams,
    response: { status: 200, schema: EventHookSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => answer(await getEventHook(db, context, params.eventHookId), context),
  });

const replaceRoute = (ports: EventHookRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'replaceEventHook',
    bodyLimit: BODY_LIMIT,
    method: 'PUT',
    url: single,
    summary: 'Replace an event hook',
    params: EventHookIdParams,
    body: EventHookBody,
    response: { status: 200, schema: EventHookSchema },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params, body }) =>
      answer(await replaceEventHook(ports, context, params.eventHookId, body), context),
  });

const deleteRoute = ({ work }: EventHookRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'deleteEventHook',
    method: 'DELETE',
    url: single,
    summary: 'Delete an event hook',
    params: EventHookIdParams,
    response: { status: 204, schema: null },
    errors: ['E0000007', 'E0000038'],
    conditional: true,
    handler: async ({ context, params }) => {
      await deleteEventHook(work, context, params.eventHookId);
      return noContent();
    },
  });

const statusRoute = (
  { work }: EventHookRoutesPorts,
  action: EventHookAction,
  operationId: string,
  summary: string,
): AnyRoute =>
  route({
    ...managing,
    operationId,
    method: 'POST',
    url: `${single}/lifecycle/${action}`,
    summary,
    params: EventHookIdParams,
    response: { status: 200, schema: EventHookSchema },
    errors: ['E0000007'],
    conditional: true,
    handler: async ({ context, params }) =>
      answer(await changeEventHookStatus(work, context, params.eventHookId, action), context),
  });

const verifyRoute = (ports: EventHookRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'verifyEventHook',
    method: 'POST',
    url: `${single}/lifecycle/verify`,
    summary: 'Verify an event hook',
    params: EventHookIdParams,
    response: { status: 200, schema: EventHookSchema },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params }) => answer(await verifyEventHook(ports, context, params.eventHookId), context),
  });

/** The contract's operations, and additional ones for deliveries. */
export const eventHookRoutes = (ports: EventHookRoutesPorts): AnyRoute[] => [
  listRoute(ports),
  createRoute(ports),
  getRoute(ports),
  replaceRoute(ports),
  deleteRoute(ports),
  statusRoute(ports, 'activate', 'activateEventHook', 'Activate an event hook'),
  statusRoute(ports, 'deactivate', 'deactivateEventHook', 'Deactivate an event hook'),
  verifyRoute(ports),
  ...sinkRoutes({
    db: ports.db,
    work: ports.work,
    cursors: ports.cursors,
    resource: 'EventHook',
    words: 'an event hook',
    path: single,
    idParameter: 'eventHookId',
    tag: common.tag,
    read: 'eventHooks.read',
    manage: 'eventHooks.manage',
    targetOf: findEventHookTarget,
  }),
];
