/** The states of a sign-in in progress (contract section 11). */
export const AUTHN_STATES = ['PASSWORD_WARN', 'PASSWORD_EXPIRED', 'RECOVERY', 'PASSWORD_RESET'] as const;
export type AuthnState = (typeof AUTHN_STATES)[number];

interface Step {
  readonly from: readonly AuthnState[];
  /** The part of the path after `/api/v1/authn`. */
  readonly path: string;
  /** The link relation. `next` links also contain the step's name. Null means that the step has no link. */
  readonly relation: 'next' | 'skip' | 'cancel' | null;
}

/** Every step that takes a state token. */
// biome-ignore format: the columns are the documentation
export const AUTHN_STEPS = {
  changePassword: { from: ['PASSWORD_EXPIRED', 'PASSWORD_WARN'], path: '/credentials/change_password', relation: 'next' },
  // Only a token for activation or recovery leads to this step.
  resetPassword:  { from: ['PASSWORD_RESET'],                    path: '/credentials/reset_password',  relation: 'next' },
  answer:         { from: ['RECOVERY'],                          path: '/recovery/answer',             relation: 'next' },
  skip:           { from: ['PASSWORD_WARN'],                     path: '/skip',                        relation: 'skip' },
  cancel:         { from: AUTHN_STATES,                          path: '/cancel',                      relation: 'cancel' },
  current:        { from: AUTHN_STATES,                          path: '',                             relation: null },
} as const satisfies Record<string, Step>;
export type AuthnStep = keyof typeof AUTHN_STEPS;

const STEPS: readonly (readonly [AuthnStep, Step])[] = Object.entries(AUTHN_STEPS).map(([name, step]) => [
  name as AuthnStep,
  step,
]);

export const allowsStep = (state: AuthnState, step: AuthnStep): boolean =>
  STEPS.some(([name, { from }]) => name === step && from.includes(state));

export const linkedSteps = (
  state: AuthnState,
): { readonly step: AuthnStep; readonly path: string; readonly relation: 'next' | 'skip' | 'cancel' }[] =>
  STEPS.flatMap(([step, { from, path, relation }]) =>
    relation !== null && from.includes(state) ? [{ step, path, relation }] : [],
  );
