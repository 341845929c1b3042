import type { TestService } from '../support/service.ts';
import { newUse } from './asking.ts';
import { useAppRoutes } from './use-app-routes.ts';
import { useAuthnRoutes } from './use-authn-routes.ts';
import { useEdge } from './use-edge.ts';
import { useEventHookRoutes } from './use-event-hook-routes.ts';
import { useLogRoutes } from './use-log-routes.ts';
import { useLogStreamRoutes } from './use-log-stream-routes.ts';
import { useOAuthRoutes } from './use-oauth-routes.ts';
import { useOrgRoutes } from './use-org-routes.ts';
import { usePolicyRoutes } from './use-policy-routes.ts';
import { useProviderRoutes } from './use-provider-routes.ts';
import { useSessionRoutes } from './use-session-routes.ts';
import { useUserRoutes } from './use-user-routes.ts';

/** Uses every operation of the service at least once with success; returns which ones that were. */
export async function useEveryRoute(service: TestService): Promise<ReadonlySet<string>> {
  const use = newUse(service);
  await useUserRoutes(use);
  await useOrgRoutes(use);
  const app = await useAppRoutes(use);
  await usePolicyRoutes(use, app);
  await useProviderRoutes(use);
  await useAuthnRoutes(use);
  await useSessionRoutes(use);
  await useOAuthRoutes(use);
  await useEventHookRoutes(use);
  await useLogStreamRoutes(use);
  await useEdge(use);
  await useLogRoutes(use);
  return use.answered;
}
