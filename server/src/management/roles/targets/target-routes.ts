import { type Answer, type AnyRoute, cursor, limit, noContent, page, route } from '../../../platform/http/index.ts';
import { AppTargetListSchema, GroupTargetListSchema } from '../contract.ts';
import { managing, type RoleRoutesPorts, reading } from '../route-declarations.ts';
import { wireAppTarget } from '../wire.ts';
import { type AssignmentPlace, addTarget, removeTarget, type TargetInput, targetAllApps } from './change-targets.ts';
import { type Family, given, paramsOf, singleOf } from './families.ts';
import { appsOf, listTargets } from './list-targets.ts';

type Params = Readonly<Record<string, unknown>>;

const paging = {
  after: cursor('The cursor of the next page, from a `next` link.'),
  limit: limit({ default: 20, maximum: 200 }),
};
const CHANGE_ERRORS = ['E0000006', 'E0000007', 'E0000091'] as const;

const groupsOf = (family: Family): string => `${singleOf(family)}/targets/groups`;
const catalogOf = (family: Family): string => `${singleOf(family)}/targets/catalog/apps`;

const placeOf = ({ idName, kind }: Family, params: Params): AssignmentPlace => ({
  kind,
  assigneeId: given(params, idName),
  assignmentId: given(params, 'roleAssignmentId'),
});

const listGroupsRoute = (ports: RoleRoutesPorts, family: Family): AnyRoute =>
  route({
    ...reading,
    tag: family.targetTag,
    operationId: family.operations.listGroups,
    method: 'GET',
    url: groupsOf(family),
    summary: 'List all group targets of a role',
    params: paramsOf(family.idName, 'roleAssignmentId'),
    query: paging,
    response: { status: 200, schema: GroupTargetListSchema },
    errors: ['E0000001', 'E0000007', 'E0000037', 'E0000091'],
    handler: async ({ context, params, query, rawQuery }) => {
      const place = placeOf(family, params);
      const { links, rows } = await listTargets(ports, context, place, 'groups', query, rawQuery);
      const groups = await ports.wireGroups(
        context,
        rows.map(({ key }) => key),
      );
      return page([...groups.values()], links);
    },
  });

const listAppsRoute = (ports: RoleRoutesPorts, family: Family): AnyRoute =>
  route({
    ...reading,
    tag: family.targetTag,
    operationId: family.operations.listApps,
    method: 'GET',
    url: catalogOf(family),
    summary: 'List all app targets of a role',
    params: paramsOf(family.idName, 'roleAssignmentId'),
    query: paging,
    response: { status: 200, schema: AppTargetListSchema },
    errors: ['E0000001', 'E0000007', 'E0000037', 'E0000091'],
    handler: async ({ context, params, query, rawQuery }) => {
      const place = placeOf(family, params);
      const { links, rows } = await listTargets(ports, context, place, 'apps', query, rawQuery);
      const apps = await appsOf(ports.db, context, rows);
      return page(
        rows.map((target) => wireAppTarget(target, apps, context)),
        links,
      );
    },
  });

interface Change {
  readonly operationId: string;
  readonly method: 'PUT' | 'DELETE';
  readonly url: string;
  readonly names: readonly string[];
  readonly summary: string;
  readonly input: (params: Params) => TargetInput;
}

const changeRoute = ({ work }: RoleRoutesPorts, family: Family, { input, names, ...change }: Change): AnyRoute =>
  route({
    ...managing,
    ...change,
    tag: family.targetTag,
    params: paramsOf(family.idName, 'roleAssignmentId', ...names),
    response: { status: 204, schema: null },
    errors: CHANGE_ERRORS,
    handler: async ({ context, params }): Promise<Answer> => {
      const apply = change.method === 'PUT' ? addTarget : removeTarget;
      await apply(work, context, placeOf(family, params), input(params));
      return noContent();
    },
  });

function changes(family: Family): Change[] {
  const { operations, targetGroupName } = family;
  const group = { url: `${groupsOf(family)}/:${targetGroupName}`, names: [targetGroupName] };
  const name = { url: `${catalogOf(family)}/:appName`, names: ['appName'] };
  const app = { url: `${name.url}/:appId`, names: ['appName', 'appId'] };
  const ofGroup = (params: Params): TargetInput => ({ type: 'GROUP', groupId: given(params, targetGroupName) });
  const ofName = (params: Params): TargetInput => ({ type: 'APP_NAME', appName: given(params, 'appName') });
  const ofApp = (params: Params): TargetInput => ({
    type: 'APP',
    appName: given(params, 'appName'),
    appId: given(params, 'appId'),
  });
  const add = (operationId: string, summary: string) => ({ operationId, summary, method: 'PUT' }) as const;
  const remove = (operationId: string, summary: string) => ({ operationId, summary, method: 'DELETE' }) as const;
  return [
    { ...group, ...add(operations.addGroup, 'Assign a group target to a role'), input: ofGroup },
    { ...group, ...remove(operations.removeGroup, 'Unassign a group target from a role'), input: ofGroup },
    { ...name, ...add(operations.addAppName, 'Assign all apps of a name as a target of a role'), input: ofName },
    { ...name, ...remove(operations.removeAppName, 'Unassign all apps of a name from a role'), input: ofName },
    { ...app, ...add(operations.addApp, 'Assign an app target to a role'), input: ofApp },
    { ...app, ...remove(operations.removeApp, 'Unassign an app target from a role'), input: ofApp },
  ];
}

const allAppsRoute = ({ work }: RoleRoutesPorts, family: Family, operationId: string): AnyRoute =>
  route({
    ...managing,
    tag: family.targetTag,
    operationId,
    method: 'PUT',
    url: catalogOf(family),
    summary: 'Assign all apps as the target of a role',
    params: paramsOf(family.idName, 'roleAssignmentId'),
    response: { status: 200, schema: null },
    errors: CHANGE_ERRORS,
    handler: async ({ context, params }) => {
      await targetAllApps(work, context, placeOf(family, params));
      return { status: 200, body: null };
    },
  });

export const targetRoutes = (ports: RoleRoutesPorts, family: Family): AnyRoute[] => [
  listGroupsRoute(ports, family),
  listAppsRoute(ports, family),
  ...changes(family).map((change) => changeRoute(ports, family, change)),
  ...(family.operations.addAllApps === null ? [] : [allAppsRoute(ports, family, family.operations.addAllApps)]),
];
