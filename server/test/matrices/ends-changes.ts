import { APP_ENDINGS } from './ends-apps.ts';
import type { Ending } from './ends-ending.ts';
import { GRANT_ENDINGS, ORG_ENDINGS } from './ends-grants.ts';
import { SERVER_ENDINGS } from './ends-servers.ts';
import { USER_ENDINGS } from './ends-users.ts';

export const ENDINGS: readonly Ending[] = [
  ...USER_ENDINGS,
  ...APP_ENDINGS,
  ...SERVER_ENDINGS,
  ...GRANT_ENDINGS,
  ...ORG_ENDINGS,
];
