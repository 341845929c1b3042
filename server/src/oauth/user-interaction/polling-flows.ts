import { CIBA_GRANT, DEVICE_CODE_GRANT } from '../../kernel/grant-types.ts';
import { ACCOUNT_PAGES } from '../../sign-in/index.ts';
import type { PendingAuthorizationKind } from '../pending-authorizations/index.ts';

interface PollingFlow {
  readonly grantType: string;
  /** The page that precedes the confirmation. */
  readonly enter: string;
  readonly confirm: string;
  /** The prefix of the message keys. */
  readonly words: string;
}

export const POLLING_FLOWS = {
  DEVICE: { grantType: DEVICE_CODE_GRANT, enter: '/activate', confirm: '/activate/confirm', words: 'device' },
  BACKCHANNEL: {
    grantType: CIBA_GRANT,
    enter: ACCOUNT_PAGES.requests,
    confirm: `${ACCOUNT_PAGES.requests}/confirm`,
    words: 'backchannel',
  },
} as const satisfies Record<PendingAuthorizationKind, PollingFlow>;
