import { lifecycle, type Transition } from '../../kernel/lifecycle.ts';

export const EVENT_HOOK_STATUSES = ['ACTIVE', 'INACTIVE'] as const;
export type EventHookStatus = (typeof EVENT_HOOK_STATUSES)[number];

export const VERIFICATION_STATUSES = ['UNVERIFIED', 'VERIFIED'] as const;
export type VerificationStatus = (typeof VERIFICATION_STATUSES)[number];

/** Activating or deactivating a hook is a no-op, not an error, if the hook already has the resulting status. */
// biome-ignore format: the columns are the documentation
export const eventHookLifecycle = lifecycle({
  activate:   { from: ['INACTIVE'], to: ['ACTIVE'],   event: 'event_hook.activated' },
  verify:     { from: ['ACTIVE'],   to: 'unchanged',  event: 'event_hook.verified' },
  deactivate: { from: ['ACTIVE'],   to: ['INACTIVE'], event: 'event_hook.deactivated' },
  delete:     { from: ['INACTIVE'], to: 'removed',    event: 'event_hook.deleted' },
} as const satisfies Record<string, Transition<EventHookStatus>>);

/** Events are sent only to an address that was verified. */
export const receivesEvents = (hook: {
  readonly status: EventHookStatus;
  readonly verificationStatus: VerificationStatus;
}): boolean => hook.status === 'ACTIVE' && hook.verificationStatus === 'VERIFIED';
