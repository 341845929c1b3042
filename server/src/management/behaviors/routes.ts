import { type AnyRoute, paging, resourceRoutes } from '../../platform/http/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import { createBehavior } from './changes/create-behavior.ts';
import { replaceBehavior } from './changes/replace-behavior.ts';
import { BehaviorBody, BehaviorIdParams, BehaviorListSchema, BehaviorSchema } from './contract.ts';
import { changeBehaviorStatus, deleteBehavior, getBehavior, listBehaviors } from './resource.ts';
import { behaviorVersion, wireBehavior } from './wire.ts';

export type BehaviorRoutesPorts = Pick<Foundation, 'db' | 'work' | 'cursors'>;

const behaviors = resourceRoutes({
  tag: 'Behavior',
  name: 'BehaviorDetectionRule',
  one: 'a behavior detection rule',
  all: 'all behavior detection rules',
  scope: 'behaviors',
  permission: 'policies',
  url: '/api/v1/behaviors/:behaviorId',
  params: BehaviorIdParams,
  schema: BehaviorSchema,
  wire: wireBehavior,
  version: behaviorVersion,
});

export const behaviorRoutes = (ports: BehaviorRoutesPorts): AnyRoute[] => [
  behaviors.list({
    query: paging({ default: 200, maximum: 200 }),
    schema: BehaviorListSchema,
    use: ({ context, query, rawQuery }) => listBehaviors(ports, context, query, rawQuery),
  }),
  behaviors.get({
    use: ({ context, params }) => getBehavior(ports.db, context, params.behaviorId),
  }),
  behaviors.create({
    body: BehaviorBody,
    use: ({ context, body }) => createBehavior(ports.work, context, body),
  }),
  behaviors.replace({
    body: BehaviorBody,
    use: ({ context, params, body }) => replaceBehavior(ports.work, context, params.behaviorId, body),
  }),
  behaviors.delete({
    use: ({ context, params }) => deleteBehavior(ports.work, context, params.behaviorId),
  }),
  ...behaviors.lifecycle({
    use: ({ context, params }, action) => changeBehaviorStatus(ports.work, context, params.behaviorId, action),
  }),
];
