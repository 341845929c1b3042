import { lifecycle, type Transition } from '../../../kernel/lifecycle.ts';
import type { AppStatus } from '../lifecycle.ts';

/**
 * The lifecycle of a client's keys and secrets. Active ones cannot be deleted, so that nobody locks a client out by
 * mistake.
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
