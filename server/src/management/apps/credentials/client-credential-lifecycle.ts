import { lifecycle, type Transition } from '../../../kernel/lifecycle.ts';
import type { AppStatus } from '../lifecycle.ts';

/**
 * Keys and secrets of a client. Where activate or deactivate is not allowed they already are so: it changes nothing and
 * is no error. An active one can't be deleted, so that nobody locks a client out by a slip.
 */
// biome-ignore format: the columns are the documentation
export const credentialLifecycle = lifecycle({
  activate:   { from: ['INACTIVE'], to: ['ACTIVE'],   event: 'app.oauth2.credentials.lifecycle.activate' },
  deactivate: { from: ['ACTIVE'],   to: ['INACTIVE'], event: 'app.oauth2.credentials.lifecycle.deactivate' },
  delete:     { from: ['INACTIVE'], to: 'removed',    event: 'app.oauth2.credentials.lifecycle.delete' },
} as const satisfies Record<string, Transition<AppStatus>>);

export type CredentialAction = 'activate' | 'deactivate';

const AFTER: Readonly<Record<CredentialAction, AppStatus>> = { activate: 'ACTIVE', deactivate: 'INACTIVE' };

export const statusAfter = (action: CredentialAction): AppStatus => AFTER[action];
