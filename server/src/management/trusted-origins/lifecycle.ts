import { lifecycle, type Transition } from '../../kernel/lifecycle.ts';

export const TRUSTED_ORIGIN_STATUSES = ['ACTIVE', 'INACTIVE'] as const;
export type TrustedOriginStatus = (typeof TRUSTED_ORIGIN_STATUSES)[number];

/** An action is a no-op, not an error, if the origin already has the resulting status. */
// biome-ignore format: the columns are the documentation
export const trustedOriginLifecycle = lifecycle({
  activate:   { from: ['INACTIVE'], to: ['ACTIVE'],   event: 'security.trusted_origin.activate' },
  deactivate: { from: ['ACTIVE'],   to: ['INACTIVE'], event: 'security.trusted_origin.deactivate' },
} as const satisfies Record<string, Transition<TrustedOriginStatus>>);
