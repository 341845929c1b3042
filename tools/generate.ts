/** `npm run generate` writes generated files. With `--check`, it only lists stale ones, and fails if there are any. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CUSTOM_PERMISSIONS,
  isRoleType,
  ROLE_TYPES,
  ROLES,
  reachOfCustomPermission,
  reachOfRole,
} from '../server/src/access/index.ts';
import { allRoutes } from '../server/src/app/declared-routes.ts';
import { assertOperatorsText } from '../server/src/filter/fields.ts';
import { ERRORS } from '../server/src/kernel/errors/errors.ts';
import { OAUTH_ERRORS } from '../server/src/kernel/errors/oauth-errors.ts';
import { USER_STATUSES } from '../server/src/kernel/user-statuses.ts';
import { credentialLifecycle } from '../server/src/management/apps/credentials/client-credential-lifecycle.ts';
import { appLifecycle } from '../server/src/management/apps/lifecycle.ts';
import {
  authorizationServerLifecycle,
  serverPolicyLifecycle,
  serverRuleLifecycle,
} from '../server/src/management/authorization-servers/lifecycle.ts';
import { SCOPE_FIELDS } from '../server/src/management/authorization-servers/servers/filter-fields.ts';
import { behaviorLifecycle } from '../server/src/management/behaviors/lifecycle.ts';
import { eventHookLifecycle } from '../server/src/management/event-hooks/lifecycle.ts';
import { GROUP_RULE_STATUSES, groupRuleLifecycle } from '../server/src/management/group-rules/lifecycle.ts';
import { GROUP_FILTER_FIELDS, GROUP_SEARCH_FIELDS } from '../server/src/management/groups/lists/search-fields.ts';
import { providerLifecycle } from '../server/src/management/identity-providers/lifecycle.ts';
import { logStreamLifecycle } from '../server/src/management/log-streams/lifecycle.ts';
import { policyLifecycle, policyRuleLifecycle } from '../server/src/management/policies/lifecycle.ts';
import { POLICY_TYPE_ROWS, POLICY_TYPES } from '../server/src/management/policies/types/type-rules.ts';
import { trustedOriginLifecycle } from '../server/src/management/trusted-origins/lifecycle.ts';
import { userLifecycle } from '../server/src/management/users/lifecycle/lifecycle.ts';
import { FILTER_FIELDS, SEARCH_FIELDS } from '../server/src/management/users/profile/search-fields.ts';
import { zoneLifecycle } from '../server/src/management/zones/lifecycle.ts';
import { SETTINGS } from '../server/src/settings/settings.ts';
import { LOG_FIELDS } from '../server/src/system-log/query/query-fields.ts';
import { EVENT_TYPES, EVENTS } from '../server/src/system-log/write/events.ts';
import { emittersOf, OWED } from './generators/emitters.ts';
import { generateLimits } from './generators/limits.ts';
import { withMigratedDatabase } from './generators/migrated-database.ts';
import { generateOpenApi } from './generators/openapi.ts';
import { generateCustomRoles, generatePermissions, type RoleTable } from './generators/permissions.ts';
import { generateRoutes, generateScopes, generateServedMethods } from './generators/routes.ts';
import { generateForeignKeys, generateSchema } from './generators/schema.ts';
import {
  type FilterTable,
  generateConfig,
  generateErrors,
  generateEvents,
  generateFilters,
  generateLifecycles,
  type LifecycleInput,
} from './generators/tables.ts';
import { staleFiles, writeFiles } from './generators/write-files.ts';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Folders in which every file is generated. */
const FOLDERS = ['openapi', 'docs/generated'];

const activeOrNot = (title: string, file: string, table: LifecycleInput['table']): LifecycleInput => ({
  title,
  source: `server/src/management/${file}`,
  statuses: ['ACTIVE', 'INACTIVE'],
  table,
});

const LIFECYCLES: readonly LifecycleInput[] = [
  {
    title: 'User',
    source: 'server/src/management/users/lifecycle/lifecycle.ts',
    statuses: USER_STATUSES,
    table: userLifecycle.table,
  },
  activeOrNot('Trusted origin', 'trusted-origins/lifecycle.ts', trustedOriginLifecycle.table),
  activeOrNot('Event hook', 'event-hooks/lifecycle.ts', eventHookLifecycle.table),
  activeOrNot('Log stream', 'log-streams/lifecycle.ts', logStreamLifecycle.table),
  activeOrNot('App', 'apps/lifecycle.ts', appLifecycle.table),
  activeOrNot(
    'Key or secret of a client',
    'apps/credentials/client-credential-lifecycle.ts',
    credentialLifecycle.table,
  ),
  activeOrNot('Network zone', 'zones/lifecycle.ts', zoneLifecycle.table),
  activeOrNot('Identity provider', 'identity-providers/lifecycle.ts', providerLifecycle.table),
  {
    title: 'Group rule',
    source: 'server/src/management/group-rules/lifecycle.ts',
    statuses: GROUP_RULE_STATUSES,
    table: groupRuleLifecycle.table,
  },
  activeOrNot('Policy', 'policies/lifecycle.ts', policyLifecycle.table),
  activeOrNot('Rule of a policy', 'policies/lifecycle.ts', policyRuleLifecycle.table),
  activeOrNot('Authorization server', 'authorization-servers/lifecycle.ts', authorizationServerLifecycle.table),
  activeOrNot('Policy of an authorization server', 'authorization-servers/lifecycle.ts', serverPolicyLifecycle.table),
  activeOrNot('Rule of such a policy', 'authorization-servers/lifecycle.ts', serverRuleLifecycle.table),
  activeOrNot('Behavior', 'behaviors/lifecycle.ts', behaviorLifecycle.table),
];

const FILTERS: readonly FilterTable[] = [
  { title: '`filter` of users', fields: assertOperatorsText(FILTER_FIELDS) },
  { title: '`search` of users', fields: assertOperatorsText(SEARCH_FIELDS) },
  { title: '`filter` of groups', fields: assertOperatorsText(GROUP_FILTER_FIELDS) },
  { title: '`search` of groups', fields: assertOperatorsText(GROUP_SEARCH_FIELDS) },
  { title: '`filter` of the scopes of an authorization server', fields: assertOperatorsText(SCOPE_FIELDS) },
  { title: '`filter` of the System Log', fields: assertOperatorsText(LOG_FIELDS) },
];

const UNASKED_POLICY_TYPES = POLICY_TYPES.filter((type) => !POLICY_TYPE_ROWS[type].isEvaluated);

function generateFromRoutes(): [string, string][] {
  const roleTable: RoleTable = {
    roles: ROLE_TYPES,
    targets: (role) => (isRoleType(role) ? ROLES[role].targets : null),
    reach: (role, route, isNarrowed) => (isRoleType(role) ? reachOfRole(role, route, isNarrowed) : 'nothing'),
    customPermissions: [...CUSTOM_PERMISSIONS.keys()],
    customReach: reachOfCustomPermission,
  };
  return [
    ['docs/generated/custom-roles.md', generateCustomRoles(allRoutes, roleTable)],
    ['docs/generated/permissions.md', generatePermissions(allRoutes, roleTable)],
    ['docs/limits.md', generateLimits(UNASKED_POLICY_TYPES, allRoutes)],
    ['docs/generated/routes.md', generateRoutes(allRoutes)],
    ['docs/generated/scopes.md', generateScopes(allRoutes)],
    ['server/src/kernel/served-methods.generated.ts', generateServedMethods(allRoutes)],
    ['openapi/management.json', generateOpenApi(allRoutes)],
  ];
}

async function generateAll(): Promise<Map<string, string>> {
  const emitters = emittersOf(join(ROOT, 'server/src'), new Set(EVENT_TYPES));
  const files = new Map<string, string>();
  files.set('docs/generated/config.md', generateConfig(SETTINGS));
  files.set('docs/generated/errors.md', generateErrors(ERRORS, OAUTH_ERRORS));
  files.set('docs/generated/events.md', generateEvents(EVENTS, emitters, OWED));
  files.set('docs/generated/filters.md', generateFilters(FILTERS));
  files.set('docs/generated/lifecycles.md', generateLifecycles(LIFECYCLES));
  const [schema, foreignKeys] = await withMigratedDatabase(async (query) => [
    await generateSchema(query),
    await generateForeignKeys(query),
  ]);
  files.set('server/src/platform/postgres/schema.generated.ts', schema);
  files.set('server/src/platform/postgres/foreign-keys.generated.ts', foreignKeys);
  for (const [path, text] of generateFromRoutes()) files.set(path, text);
  return files;
}

const isCheck = process.argv.includes('--check');
const files = await generateAll();
const stale = isCheck ? staleFiles(ROOT, files, FOLDERS) : writeFiles(ROOT, files, FOLDERS);
for (const path of stale) console.log(isCheck ? `not fresh: ${path} (npm run generate)` : `wrote ${path}`);
console.log(`${files.size} generated files, ${stale.length} ${isCheck ? 'not fresh' : 'written'}`);
process.exitCode = isCheck && stale.length > 0 ? 1 : 0;
