import type { Context } from '../../kernel/context.ts';
import type { KeysetPage } from '../../platform/http/index.ts';
import { type ListPorts, type PageQuery, pageById, type RawQuery, resource, statusChange } from '../resource/index.ts';
import { behaviorLifecycle } from './lifecycle.ts';
import { BEHAVIORS, type Behavior } from './store.ts';
import { behaviorChange, behaviorVersion } from './wire.ts';

/** Each sign-in will have to evaluate all behaviors of the org. The service does not detect behaviors yet. */
export const MAXIMUM_BEHAVIORS = 100;

export const behaviors = resource<Behavior>({
  noun: 'Behavior',
  store: BEHAVIORS,
  version: behaviorVersion,
  target: behaviorChange,
  events: {
    create: 'security.behavior.settings.create',
    update: 'security.behavior.settings.update',
    delete: 'security.behavior.settings.delete',
  },
  limit: { maximum: MAXIMUM_BEHAVIORS, field: 'name', plural: 'behaviors' },
});

export const { delete: deleteBehavior, get: getBehavior } = behaviors;
export const changeBehaviorStatus = statusChange(behaviors, behaviorLifecycle);

export const listBehaviors = (
  ports: ListPorts,
  context: Context,
  query: PageQuery,
  rawQuery: RawQuery,
): Promise<KeysetPage<Behavior>> =>
  pageById(ports, context, 'listBehaviorDetectionRules', query, rawQuery, (request) =>
    BEHAVIORS.readPage(ports.db, context.orgId, [], request),
  );
