/** The states of a sign-in in progress (contract section 11). */
export const AUTHN_STATES = [
  'PASSWORD_WARN',
  'PASSWORD_EXPIRED',
  'RECOVERY',
  'PASSWORD_RESET',
  'MFA_REQUIRED',
  'MFA_CHALLENGE',
  'MFA_ENROLL',
  'MFA_ENROLL_ACTIVATE',
] as const;
export type AuthnState = (typeof AUTHN_STATES)[number];

interface Step {
  readonly from: readonly AuthnState[];
  /** The part of the path after `/api/v1/authn`. `:factorId` stands for the factor of the state. */
  readonly path: string;
  /** The link relation. `next` links also contain the step's name. Null means that the step has no link. */
  readonly relation: Relation | null;
  /** The states that link the step, if they are fewer. In the others, the links of the factors lead to it. */
  readonly linkedFrom?: readonly AuthnState[];
}

type Relation = 'next' | 'prev' | 'skip' | 'cancel';

/** Every step that takes a state token. */
// biome-ignore format: the columns are the documentation
export const AUTHN_STEPS = {
  changePassword: { from: ['PASSWORD_EXPIRED', 'PASSWORD_WARN'], path: '/credentials/change_password', relation: 'next' },
  // Only a token for activation or recovery leads to this step.
  resetPassword:  { from: ['PASSWORD_RESET'],                    path: '/credentials/reset_password',  relation: 'next' },
  answer:         { from: ['RECOVERY'],                          path: '/recovery/answer',             relation: 'next' },
  verify:         { from: ['MFA_REQUIRED', 'MFA_CHALLENGE'],     path: '/factors/:factorId/verify',    relation: 'next', linkedFrom: ['MFA_CHALLENGE'] },
  enroll:         { from: ['MFA_ENROLL'],                        path: '/factors',                     relation: null },
  activate:       { from: ['MFA_ENROLL_ACTIVATE'],               path: '/factors/:factorId/lifecycle/activate', relation: 'next' },
  // Only a code that was sent by email can be sent again.
  resend:         { from: ['MFA_CHALLENGE'],                     path: '/factors/:factorId/verify/resend', relation: null },
  previous:       { from: ['MFA_CHALLENGE', 'MFA_ENROLL_ACTIVATE'], path: '/previous',                 relation: 'prev' },
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
): { readonly step: AuthnStep; readonly path: string; readonly relation: Relation }[] =>
  STEPS.flatMap(([step, { from, linkedFrom = from, path, relation }]) =>
    relation !== null && linkedFrom.includes(state) ? [{ step, path, relation }] : [],
  );
