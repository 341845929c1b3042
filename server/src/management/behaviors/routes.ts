import type { Context } from '../../kernel/context.ts';
import {
  type Answer,
  type AnyRoute,
  cursor,
  limit,
  noContent,
  page,
  route,
  versioned,
} from '../../platform/http/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import { changeBehaviorStatus } from './changes/change-status.ts';
import { createBehavior } from './changes/create-behavior.ts';
import { deleteBehavior } from './changes/delete-behavior.ts';
import { replaceBehavior } from './changes/replace-behavior.ts';
import { BehaviorBody, BehaviorIdParams, BehaviorListSchema, BehaviorSchema } from './contract.ts';
import { getBehavior, listBehaviors } from './get-behavior.ts';
import type { BehaviorAction } from './lifecycle.ts';
import type { Behavior } from './store.ts';
import { behaviorVersion, wireBehavior } from './wire.ts';

export type BehaviorRoutesPorts = Pick<Foundation, 'db' | 'work' | 'cursors'>;

const common = { tag: 'Behavior', access: 'authenticated', bucket: 'management', cors: false } as const;
const reading = { ...common, scopes: ['behaviors.read'], permission: 'policies.read' } as const;
const managing = { ...common, scopes: ['behaviors.manage'], permission: 'policies.manage' } as const;
const collection = '/api/v1/behaviors';
const single = `${collection}/:behaviorId`;

const answer = (behavior: Behavior, context: Context): Answer =>
  versioned(behaviorVersion(behavior), wireBehavior(behavior, context));

const readRoutes = (ports: BehaviorRoutesPorts): AnyRoute[] => [
  route({
    ...reading,
    operationId: 'listBehaviorDetectionRules',
    method: 'GET',
    url: collection,
    summary: 'List all behavior detection rules',
    query: {
      limit: limit({ default: 200, maximum: 200 }),
      after: cursor('Cursor of the next page.'),
      before: cursor('Cursor of the previous page.'),
    },
    response: { status: 200, schema: BehaviorListSchema },
    errors: ['E0000001', 'E0000037'],
    handler: async ({ context, query, rawQuery }) => {
      const { links, rows } = await listBehaviors(ports, context, query, rawQuery);
      return page(
        rows.map((behavior) => wireBehavior(behavior, context)),
        links,
      );
    },
  }),
  route({
    ...reading,
    operationId: 'getBehaviorDetectionRule',
    method: 'GET',
    url: single,
    summary: 'Retrieve a behavior detection rule',
    params: BehaviorIdParams,
    response: { status: 200, schema: BehaviorSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => answer(await getBehavior(ports.db, context, params.behaviorId), context),
  }),
];

const lifecycleRoute = (
  { work }: BehaviorRoutesPorts,
  action: BehaviorAction,
  operationId: string,
  summary: string,
): AnyRoute =>
  route({
    ...managing,
    operationId,
    method: 'POST',
    url: `${single}/lifecycle/${action}`,
    summary,
    params: BehaviorIdParams,
    response: { status: 200, schema: BehaviorSchema },
    errors: ['E0000007'],
    conditional: true,
    handler: async ({ context, params }) =>
      answer(await changeBehaviorStatus(work, context, params.behaviorId, action), context),
  });

export const behaviorRoutes = (ports: BehaviorRoutesPorts): AnyRoute[] => [
  ...readRoutes(ports),
  route({
    ...managing,
    operationId: 'createBehaviorDetectionRule',
    method: 'POST',
    url: collection,
    summary: 'Create a behavior detection rule',
    body: BehaviorBody,
    idempotent: true,
    response: { status: 200, schema: BehaviorSchema },
    errors: ['E0000001', 'E0000195'],
    handler: async ({ context, body }) => answer(await createBehavior(ports.work, context, body), context),
  }),
  route({
    ...managing,
    operationId: 'replaceBehaviorDetectionRule',
    method: 'PUT',
    url: single,
    summary: 'Replace a behavior detection rule',
    params: BehaviorIdParams,
    body: BehaviorBody,
    response: { status: 200, schema: BehaviorSchema },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params, body }) =>
      answer(await replaceBehavior(ports.work, context, params.behaviorId, body), context),
  }),
  route({
    ...managing,
    operationId: 'deleteBehaviorDetectionRule',
    method: 'DELETE',
    url: single,
    summary: 'Delete a behavior detection rule',
    params: BehaviorIdParams,
    response: { status: 204, schema: null },
    errors: ['E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      await deleteBehavior(ports.work, context, params.behaviorId);
      return noContent();
    },
  }),
  lifecycleRoute(ports, 'activate', 'activateBehaviorDetectionRule', 'Activate a behavior detection rule'),
  lifecycleRoute(ports, 'deactivate', 'deactivateBehaviorDetectionRule', 'Deactivate a behavior detection rule'),
];
