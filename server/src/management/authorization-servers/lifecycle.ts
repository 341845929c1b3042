import { lifecycle, type Transition } from '../../kernel/lifecycle.ts';

export const AUTHORIZATION_SERVER_STATUSES = ['ACTIVE', 'INACTIVE'] as const;
export type AuthorizationServerStatus = (typeof AUTHORIZATION_SERVER_STATUSES)[number];

/** An action is a no-op, not an error, if the server already has the resulting status. */
// biome-ignore format: the columns are the documentation
export const authorizationServerLifecycle = lifecycle({
  activate:   { from: ['INACTIVE'], to: ['ACTIVE'],   event: 'oauth2.as.activated' },
  deactivate: { from: ['ACTIVE'],   to: ['INACTIVE'], event: 'oauth2.as.deactivated' },
} as const satisfies Record<string, Transition<AuthorizationServerStatus>>);

// biome-ignore format: the columns are the documentation
export const serverPolicyLifecycle = lifecycle({
  activate:   { from: ['INACTIVE'], to: ['ACTIVE'],   event: 'policy.lifecycle.activate' },
  deactivate: { from: ['ACTIVE'],   to: ['INACTIVE'], event: 'policy.lifecycle.deactivate' },
} as const satisfies Record<string, Transition<AuthorizationServerStatus>>);

// biome-ignore format: the columns are the documentation
export const serverRuleLifecycle = lifecycle({
  activate:   { from: ['INACTIVE'], to: ['ACTIVE'],   event: 'policy.rule.activate' },
  deactivate: { from: ['ACTIVE'],   to: ['INACTIVE'], event: 'policy.rule.deactivate' },
} as const satisfies Record<string, Transition<AuthorizationServerStatus>>);

export type AuthorizationServerAction = (typeof authorizationServerLifecycle.actions)[number];
