import { Type } from '@sinclair/typebox';
import type { AssigneeKind } from '../assignments/assignee-store.ts';
import { KINDS } from '../assignments/assignees.ts';

/** The contract names the operations on roles separately for each kind of assignee. */
export interface Family {
  readonly kind: AssigneeKind;
  readonly tag: string;
  readonly targetTag: string;
  readonly idName: string;
  /** The name of the path parameter for a target group. */
  readonly targetGroupName: string;
  readonly operations: {
    readonly list: string;
    readonly assign: string;
    readonly get: string;
    readonly unassign: string;
    readonly listGroups: string;
    readonly addGroup: string;
    readonly removeGroup: string;
    readonly listApps: string;
    readonly addApp: string;
    readonly removeApp: string;
    readonly addAppName: string;
    readonly removeAppName: string;
    /** This is null for groups and clients, because the contract has this operation only for users' roles. */
    readonly addAllApps: string | null;
  };
}

export const FAMILIES: readonly Family[] = [
  {
    kind: 'USER',
    tag: 'RoleAssignmentAUser',
    targetTag: 'RoleBTargetAdmin',
    idName: 'userId',
    targetGroupName: 'groupId',
    operations: {
      list: 'listAssignedRolesForUser',
      assign: 'assignRoleToUser',
      get: 'getUserAssignedRole',
      unassign: 'unassignRoleFromUser',
      listGroups: 'listGroupTargetsForRole',
      addGroup: 'assignGroupTargetToUserRole',
      removeGroup: 'unassignGroupTargetFromUserAdminRole',
      listApps: 'listApplicationTargetsForApplicationAdministratorRoleForUser',
      addApp: 'assignAppInstanceTargetToAppAdminRoleForUser',
      removeApp: 'unassignAppInstanceTargetFromAdminRoleForUser',
      addAppName: 'assignAppTargetToAdminRoleForUser',
      removeAppName: 'unassignAppTargetFromAppAdminRoleForUser',
      addAllApps: 'assignAllAppsAsTargetToRoleForUser',
    },
  },
  {
    kind: 'GROUP',
    tag: 'RoleAssignmentBGroup',
    targetTag: 'RoleBTargetBGroup',
    idName: 'groupId',
    targetGroupName: 'targetGroupId',
    operations: {
      list: 'listGroupAssignedRoles',
      assign: 'assignRoleToGroup',
      get: 'getGroupAssignedRole',
      unassign: 'unassignRoleFromGroup',
      listGroups: 'listGroupTargetsForGroupRole',
      addGroup: 'assignGroupTargetToGroupAdminRole',
      removeGroup: 'unassignGroupTargetFromGroupAdminRole',
      listApps: 'listApplicationTargetsForApplicationAdministratorRoleForGroup',
      addApp: 'assignAppInstanceTargetToAppAdminRoleForGroup',
      removeApp: 'unassignAppInstanceTargetToAppAdminRoleForGroup',
      addAppName: 'assignAppTargetToAdminRoleForGroup',
      removeAppName: 'unassignAppTargetToAdminRoleForGroup',
      addAllApps: null,
    },
  },
  {
    kind: 'CLIENT',
    tag: 'RoleAssignmentClient',
    targetTag: 'RoleBTargetClient',
    idName: 'clientId',
    targetGroupName: 'groupId',
    operations: {
      list: 'listRolesForClient',
      assign: 'assignRoleToClient',
      get: 'retrieveClientRole',
      unassign: 'deleteRoleFromClient',
      listGroups: 'listGroupTargetRoleForClient',
      addGroup: 'assignGroupTargetRoleForClient',
      removeGroup: 'removeGroupTargetRoleFromClient',
      listApps: 'listAppTargetRoleToClient',
      addApp: 'assignAppTargetInstanceRoleForClient',
      removeApp: 'removeAppTargetInstanceRoleForClient',
      addAppName: 'assignAppTargetRoleToClient',
      removeAppName: 'removeAppTargetRoleFromClient',
      addAllApps: null,
    },
  },
];

export const paramsOf = (...names: readonly string[]) =>
  Type.Object(Object.fromEntries(names.map((name) => [name, Type.String()])));

export const collectionOf = ({ idName, kind }: Family): string => `${KINDS[kind].path}/:${idName}/roles`;
export const singleOf = (family: Family): string => `${collectionOf(family)}/:roleAssignmentId`;

export function given(params: Readonly<Record<string, unknown>>, name: string): string {
  const value = params[name];
  if (typeof value !== 'string') throw new Error(`the route has no parameter ${name}`);
  return value;
}
