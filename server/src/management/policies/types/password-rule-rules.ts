import { unsupported } from '../../../kernel/words/members.ts';
import { ANYWHERE, type NetworkCondition, networkShape } from '../conditions/network-rules.ts';
import { NO_CHOICE, type PeopleCondition, peopleShape } from '../conditions/people-rules.ts';
import {
  choice,
  flag,
  hidden,
  list,
  mapped,
  object,
  optional,
  type Shape,
  type StoredOf,
  text,
} from './document-rules.ts';

export interface PasswordRuleConditions {
  readonly people: PeopleCondition;
  readonly network: NetworkCondition;
}

type Access = 'ALLOW' | 'DENY';

const METHODS = ['push', 'sms', 'voice', 'email', 'otp'] as const;
type Method = (typeof METHODS)[number];

const constraint = object({
  method: choice(['otp']),
  allowedAuthenticators: list(object({ key: text() }), { maximum: 20 }),
});

export interface ResetRequirement {
  /** This member is null if the body omits it. The policy's recovery factors then decide. */
  readonly methods: readonly Method[] | null;
  readonly constraints: readonly StoredOf<typeof constraint>[];
  /** This member is null if the body omits it. */
  readonly isQuestionRequired: boolean | null;
  readonly namesQuestion: boolean;
  readonly accessControl: 'LEGACY' | null;
}

export interface PasswordRuleActions {
  readonly passwordChange: Access;
  readonly selfServicePasswordReset: Access;
  readonly selfServiceUnlock: Access;
  readonly requirement: ResetRequirement | null;
  readonly allowsUnenrolledEmail: boolean | null;
}

export const DEFAULT_PASSWORD_RULE: {
  readonly conditions: PasswordRuleConditions;
  readonly actions: PasswordRuleActions;
} = {
  conditions: { people: { users: NO_CHOICE, groups: NO_CHOICE }, network: ANYWHERE },
  actions: {
    passwordChange: 'ALLOW',
    selfServicePasswordReset: 'ALLOW',
    selfServiceUnlock: 'ALLOW',
    requirement: null,
    allowsUnenrolledEmail: null,
  },
};

export const passwordRuleConditions: Shape<PasswordRuleConditions> = object({
  people: peopleShape,
  network: networkShape,
});

const access = (otherwise: Access): Shape<Access> => choice(['ALLOW', 'DENY'], otherwise);

const accessControl: Shape<'LEGACY'> = mapped(
  choice(['LEGACY', 'AUTH_POLICY'], 'LEGACY'),
  (word, place) => {
    if (word === 'AUTH_POLICY') throw unsupported(place);
    return word;
  },
  (kept) => kept,
);

const requirement: Shape<ResetRequirement> = mapped(
  object({
    primary: optional(
      object({
        methods: optional(list(choice(METHODS), { maximum: METHODS.length })),
        methodConstraints: optional(list(constraint, { maximum: 5 })),
      }),
    ),
    stepUp: optional(
      object({
        methods: optional(list(choice(['security_question']), { maximum: 1 })),
        required: optional(flag(false)),
      }),
    ),
    accessControl: optional(accessControl),
  }),
  ({ accessControl: control, primary, stepUp }) => ({
    methods: primary?.methods ?? null,
    constraints: primary?.methodConstraints ?? [],
    isQuestionRequired: stepUp?.required ?? null,
    namesQuestion: (stepUp?.methods ?? []).length > 0,
    accessControl: control ?? null,
  }),
  (kept) => ({
    primary:
      kept.methods === null
        ? undefined
        : {
            methods: kept.methods,
            methodConstraints: kept.constraints.length > 0 ? kept.constraints : undefined,
          },
    stepUp:
      kept.isQuestionRequired === null
        ? undefined
        : {
            methods: kept.namesQuestion ? (['security_question'] as const) : undefined,
            required: kept.isQuestionRequired,
          },
    accessControl: kept.accessControl ?? undefined,
  }),
);

/** Omitted operations are denied, except for changing one's own password. */
export const passwordRuleActions: Shape<PasswordRuleActions> = mapped(
  object({
    passwordChange: object({ access: access('ALLOW') }),
    selfServicePasswordReset: object({
      access: access('DENY'),
      type: hidden(optional(choice(['selfServicePasswordReset']))),
      requirement: optional(requirement),
      settings: optional(object({ allowRecoveryEmailWithoutEnrollment: optional(flag(false)) })),
    }),
    selfServiceUnlock: object({ access: access('DENY') }),
  }),
  ({ passwordChange, selfServicePasswordReset: reset, selfServiceUnlock }) => ({
    passwordChange: passwordChange.access,
    selfServicePasswordReset: reset.access,
    selfServiceUnlock: selfServiceUnlock.access,
    requirement: reset.requirement ?? null,
    allowsUnenrolledEmail: reset.settings?.allowRecoveryEmailWithoutEnrollment ?? null,
  }),
  (actions) => ({
    passwordChange: { access: actions.passwordChange },
    selfServicePasswordReset: {
      access: actions.selfServicePasswordReset,
      type: undefined,
      requirement: actions.requirement ?? undefined,
      settings:
        actions.allowsUnenrolledEmail === null
          ? undefined
          : { allowRecoveryEmailWithoutEnrollment: actions.allowsUnenrolledEmail },
    },
    selfServiceUnlock: { access: actions.selfServiceUnlock },
  }),
);
