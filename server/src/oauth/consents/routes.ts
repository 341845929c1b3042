import type { AnyRoute } from '../../platform/http/index.ts';
import type { AccountConsentsPorts } from './account-consents.ts';
import { accountConsentRoutes } from './account-routes.ts';
import { grantRoutes } from './grant-routes.ts';
import { type ConsentPagePorts, consentPageRoutes } from './page-routes.ts';
import { tokenRoutes } from './token-routes.ts';

/** What users allow apps: the page that asks them, their grants, and the refresh tokens that rest on them. */
export const consentRoutes = (ports: AccountConsentsPorts & ConsentPagePorts): AnyRoute[] => [
  ...consentPageRoutes(ports),
  ...accountConsentRoutes(ports),
  ...grantRoutes(ports),
  ...tokenRoutes(ports),
];
