import type { AnyRoute } from '../../platform/http/index.ts';
import { grantRoutes } from './grants/grant-routes.ts';
import type { AccountConsentsPorts } from './pages/account-consents.ts';
import { accountConsentRoutes } from './pages/account-routes.ts';
import { type ConsentPagePorts, consentPageRoutes } from './pages/page-routes.ts';
import { tokenRoutes } from './refresh-tokens/token-routes.ts';

export const consentRoutes = (ports: AccountConsentsPorts & ConsentPagePorts): AnyRoute[] => [
  ...consentPageRoutes(ports),
  ...accountConsentRoutes(ports),
  ...grantRoutes(ports),
  ...tokenRoutes(ports),
];
