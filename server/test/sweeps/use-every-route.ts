import type { TestService } from '../support/service.ts';
import { newUse, type Send } from './asking.ts';
import { useAppAssignmentRoutes } from './use-app-assignment-routes.ts';
import { useAppRoutes } from './use-app-routes.ts';
import { useAuthnRoutes } from './use-authn-routes.ts';
import { useAuthorizationRoutes } from './use-authorization-routes.ts';
import { useAuthorizationServerRoutes } from './use-authorization-server-routes.ts';
import { useBackchannelRoutes } from './use-backchannel-routes.ts';
import { useBrandRoutes } from './use-brand-routes.ts';
import { useConsentRoutes } from './use-consent-routes.ts';
import { useDeviceRoutes } from './use-device-routes.ts';
import { useEdge } from './use-edge.ts';
import { useEventHookRoutes } from './use-event-hook-routes.ts';
import { useGroupRoutes } from './use-group-routes.ts';
import { useGroupRuleRoutes } from './use-group-rule-routes.ts';
import { useLogRoutes } from './use-log-routes.ts';
import { useLogStreamRoutes } from './use-log-stream-routes.ts';
import { useLogoutRoutes } from './use-logout-routes.ts';
import { useOAuthRoutes } from './use-oauth-routes.ts';
import { useOrgRoutes } from './use-org-routes.ts';
import { usePageRoutes } from './use-page-routes.ts';
import { usePolicyRoutes } from './use-policy-routes.ts';
import { useProviderRoutes } from './use-provider-routes.ts';
import { useRegistrationRoutes } from './use-registration-routes.ts';
import { useRoleRoutes } from './use-role-routes.ts';
import { useSchemaRoutes } from './use-schema-routes.ts';
import { useSessionRoutes } from './use-session-routes.ts';
import { useUserRoutes } from './use-user-routes.ts';
import { useUserTokenRoutes } from './use-user-token-routes.ts';

/**
 * Uses the operations of the service and returns the ids of those used. Throws an Error if one is refused unexpectedly.
 */
export async function useEveryRoute(service: TestService, send?: Send): Promise<ReadonlySet<string>> {
  const use = newUse(service, send);
  await useUserRoutes(use);
  await useGroupRoutes(use);
  await useGroupRuleRoutes(use);
  await useOrgRoutes(use);
  await useBrandRoutes(use);
  await useSchemaRoutes(use);
  const app = await useAppRoutes(use);
  await useAppAssignmentRoutes(use);
  await useRoleRoutes(use);
  await usePolicyRoutes(use, app);
  await useAuthorizationServerRoutes(use, app);
  await useProviderRoutes(use);
  await useAuthnRoutes(use);
  await useSessionRoutes(use);
  await usePageRoutes(use);
  await useOAuthRoutes(use);
  await useAuthorizationRoutes(use);
  await useConsentRoutes(use);
  await useDeviceRoutes(use);
  await useBackchannelRoutes(use);
  await useUserTokenRoutes(use);
  await useRegistrationRoutes(use);
  await useLogoutRoutes(use);
  await useEventHookRoutes(use);
  await useLogStreamRoutes(use);
  await useEdge(use);
  await useLogRoutes(use);
  return use.answered;
}
