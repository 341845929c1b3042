import { lifecycle, type Transition } from '../../kernel/lifecycle.ts';

export const PROVIDER_STATUSES = ['ACTIVE', 'INACTIVE'] as const;
export type ProviderStatus = (typeof PROVIDER_STATUSES)[number];

/** An action is a no-op, not an error, if the provider already has the resulting status. */
// biome-ignore format: the columns are the documentation
export const providerLifecycle = lifecycle({
  activate:   { from: ['INACTIVE'], to: ['ACTIVE'],   event: 'system.idp.lifecycle.activate' },
  deactivate: { from: ['ACTIVE'],   to: ['INACTIVE'], event: 'system.idp.lifecycle.deactivate' },
} as const satisfies Record<string, Transition<ProviderStatus>>);
