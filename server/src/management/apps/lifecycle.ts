import { lifecycle, type Transition } from '../../kernel/lifecycle.ts';

export const APP_STATUSES = ['ACTIVE', 'INACTIVE'] as const;
export type AppStatus = (typeof APP_STATUSES)[number];

/** The lifecycle of an app (contract section 17). */
// biome-ignore format: the columns are the documentation
export const appLifecycle = lifecycle({
  activate:   { from: ['INACTIVE'], to: ['ACTIVE'],   event: 'application.lifecycle.activate' },
  deactivate: { from: ['ACTIVE'],   to: ['INACTIVE'], event: 'application.lifecycle.deactivate' },
  delete:     { from: ['INACTIVE'], to: 'removed',    event: 'application.lifecycle.delete' },
} as const satisfies Record<string, Transition<AppStatus>>);

export type AppAction = 'activate' | 'deactivate';
