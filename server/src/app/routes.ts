import type { OrgId } from '../kernel/words/ids.ts';
import { findTokenNaming } from '../management/api-tokens/index.ts';
import { apiTokenRoutes } from '../management/api-tokens/routes.ts';
import { appsOfGroup, appsOfUser, wireAppUsersOf } from '../management/app-assignments/index.ts';
import { appAssignmentRoutes } from '../management/app-assignments/routes.ts';
import { appRoutes } from '../management/apps/routes.ts';
import { listWireServerPolicies } from '../management/authorization-servers/index.ts';
import { authorizationServerRoutes } from '../management/authorization-servers/routes.ts';
import { behaviorRoutes } from '../management/behaviors/routes.ts';
import { brandsRoutes } from '../management/brands/routes.ts';
import { customRoleRoutes } from '../management/custom-roles/routes.ts';
import { eventHookRoutes } from '../management/event-hooks/routes.ts';
import { factorRoutes } from '../management/factors/routes.ts';
import { featureRoutes } from '../management/features/routes.ts';
import { groupRuleRoutes } from '../management/group-rules/routes.ts';
import { findGroups, wireGroup } from '../management/groups/index.ts';
import { groupRoutes } from '../management/groups/routes.ts';
import { identityProviderRoutes } from '../management/identity-providers/routes.ts';
import { linkedObjectRoutes } from '../management/linked-objects/routes.ts';
import { logStreamRoutes } from '../management/log-streams/routes.ts';
import { orgRoutes } from '../management/orgs/routes.ts';
import { appPolicies, findRuleNaming } from '../management/policies/index.ts';
import { policyRoutes } from '../management/policies/routes.ts';
import { profileMappingRoutes } from '../management/profile-mappings/routes.ts';
import { resourceSetRoutes } from '../management/resource-sets/routes.ts';
import { roleRoutes } from '../management/roles/routes.ts';
import { schemaRoutes } from '../management/schemas/routes.ts';
import { trustedOriginRoutes } from '../management/trusted-origins/routes.ts';
import { userRoutes } from '../management/users/routes.ts';
import { zoneRoutes } from '../management/zones/routes.ts';
import { publishedOrgKeys, signingOf } from '../oauth/index.ts';
import { oauthRoutes } from '../oauth/routes.ts';
import { makeKeyPair } from '../platform/crypto/index.ts';
import type { AnyRoute } from '../platform/http/index.ts';
import { queueMail } from '../platform/mail/index.ts';
import { showsMails } from '../settings/config.ts';
import { MAILS_PAGE, mailsPageRoutes, startPage } from '../sign-in/index.ts';
import { signInRoutes } from '../sign-in/routes.ts';
import { checkpointRoutes, logRoutes } from '../system-log/routes.ts';
import type { ApplicationOptions } from './infrastructure.ts';
import { openApiRoutes } from './openapi/routes.ts';
import { groupsPortsOf } from './ports/groups.ts';
import { schemaPortsOf } from './ports/schemas.ts';
import { type Services } from './services.ts';

interface Wiring {
  readonly options: ApplicationOptions;
  readonly services: Services;
}

const directoryRoutes = ({ services }: Wiring): AnyRoute[] => {
  const { cursors, db, masterKey, users, work } = services;
  return [
    ...userRoutes({ users }),
    ...factorRoutes({ users, masterKey }),
    ...groupRoutes(groupsPortsOf(services)),
    ...customRoleRoutes({ db, work, cursors }),
    ...resourceSetRoutes({ db, work, cursors }),
    ...roleRoutes({
      db,
      work,
      cursors,
      wireGroups: async (context, groupIds) => {
        const groups = await findGroups(db, context.orgId, groupIds);
        return new Map(groups.map((group) => [group.id, wireGroup(group, context)]));
      },
    }),
    ...schemaRoutes({ ...schemaPortsOf(work), db }),
    ...linkedObjectRoutes({ db, work, users, cursors }),
    ...profileMappingRoutes({ db, work, cursors }),
  ];
};

const orgWideRoutes = ({ options, services }: Wiring): AnyRoute[] => {
  const { cursors, db, masterKey, namespace, work } = services;
  const { awsAccessKeyId, logFilesMegabytes } = options.config;
  return [
    ...orgRoutes({ db, work, namespace }),
    ...featureRoutes({ db, work }),
    ...trustedOriginRoutes({ db, work, cursors }),
    ...eventHookRoutes({ db, work, cursors, masterKey, outbound: services.outbound }),
    ...logStreamRoutes({ db, work, cursors, masterKey, hasAwsCredentials: awsAccessKeyId !== null, logFilesMegabytes }),
    ...behaviorRoutes({ db, work, cursors }),
    ...brandsRoutes({
      db,
      work,
      cursors,
      queueMail: (tx, { now, orgId }, mail) => queueMail(services.mailOutbox, tx, orgId, mail, now),
    }),
    ...zoneRoutes({
      db,
      work,
      cursors,
      zoneUsedBy: async (tx, { orgId }, zoneId) => {
        const rule = await findRuleNaming(tx, orgId, zoneId);
        if (rule !== null) return `the rule ${rule} of a policy`;
        const token = await findTokenNaming(tx, orgId, zoneId);
        return token === null ? null : `the API token ${token}`;
      },
    }),
    ...identityProviderRoutes({
      db,
      work,
      cursors,
      masterKey,
      providerUsedBy: (tx, { orgId }, id) => findRuleNaming(tx, orgId, id),
    }),
  ];
};

const appPortsOf = ({ options, services }: Wiring) => ({
  db: services.db,
  work: services.work,
  cursors: services.cursors,
  masterKey: services.masterKey,
  makeKeyPair: options.makeKeyPair ?? makeKeyPair,
  subdomainOf: (orgId: OrgId) => services.orgDirectory.subdomainOf(orgId),
  httpRedirectUrisOf: async (orgId: OrgId) => (await services.orgDirectory.settingsOf(orgId)).httpRedirectUris,
  appPolicies,
  orgKeys: {
    published: publishedOrgKeys,
    make: async (orgId: OrgId) => {
      await services.oauth.signingKeys.publicKeys(orgId);
    },
  },
});

const applicationRoutes = ({ options, services }: Wiring): AnyRoute[] => {
  const { cursors, db, masterKey, oauth, users, work, zones } = services;
  return [
    ...appRoutes({
      ...appPortsOf({ options, services }),
      assignments: { appIdsOfUser: appsOfUser, appIdsOfGroup: appsOfGroup, appUsersOf: wireAppUsersOf },
    }),
    ...appAssignmentRoutes({ db, work, cursors, masterKey, users }),
    ...groupRuleRoutes({ db, work, cursors }),
    ...policyRoutes({
      orgKeys: { published: publishedOrgKeys },
      db,
      work,
      cursors,
      zones,
      serverPolicies: (context, authServerId, query) =>
        listWireServerPolicies({ db, cursors }, context, authServerId, query),
    }),
    ...authorizationServerRoutes({ db, work, cursors, signingOf: signingOf({ db, signingKeys: oauth.signingKeys }) }),
  ];
};

const signInAndLogRoutes = ({ options, services }: Wiring, scopes: () => readonly string[]): AnyRoute[] => {
  const {
    apiTokens,
    cursors,
    db,
    edgeEvents,
    newSharedWork,
    orgDirectory,
    oauth,
    pages,
    policies,
    sessions,
    users,
    work,
    zones,
    clock,
    masterKey,
  } = services;
  const timeoutMilliseconds = options.config.logQueryTimeoutSeconds * 1_000;
  const isMailsPageOpen = showsMails(options.config);
  const zonesOf: typeof zones.idsAt = (orgId, address) => zones.idsAt(orgId, address);
  const authn = { users, policies, zonesOf, masterKey };
  const formKey = masterKey.subkey('form tokens');
  return [
    ...apiTokenRoutes({ apiTokens }),
    ...oauthRoutes({
      oauth,
      db,
      work,
      newSharedWork,
      clock,
      masterKey,
      makeKeyPair: options.makeKeyPair ?? makeKeyPair,
      scopes,
      refused: edgeEvents.refused,
      authn,
      cursors,
      users,
      pages,
      formKey,
      apps: appPortsOf({ options, services }),
      sessions,
    }),
    ...signInRoutes({
      users,
      masterKey,
      policies,
      sessions,
      zonesOf,
      subdomainOf: (orgId) => orgDirectory.subdomainOf(orgId),
      routed: services.routingEvents.routed,
      pages,
      formKey,
      startPage: (view) => startPage(view, isMailsPageOpen ? MAILS_PAGE : null),
    }),
    ...mailsPageRoutes({ db, masterKey, pages, sessions, isOpen: isMailsPageOpen }),
    ...checkpointRoutes({ db, cursors }),
    ...logRoutes({ reads: services.logReads, cursors, timeoutMilliseconds, trace: services.logTrace }),
  ];
};

/** Returns a function that collects the scopes of all routes on its first call, when all routes are declared. */
function apiScopes(routes: () => readonly AnyRoute[]): () => readonly string[] {
  let scopes: readonly string[] | null = null;
  return () => {
    scopes ??= [...new Set(routes().flatMap((route) => route.scopes))].toSorted();
    return scopes;
  };
}

export function createRoutes(options: ApplicationOptions, services: Services): readonly AnyRoute[] {
  const wiring = { options, services };
  const routes: readonly AnyRoute[] = [
    ...directoryRoutes(wiring),
    ...orgWideRoutes(wiring),
    ...applicationRoutes(wiring),
    ...signInAndLogRoutes(
      wiring,
      apiScopes(() => routes),
    ),
    ...openApiRoutes(() => routes),
  ];
  return routes;
}
