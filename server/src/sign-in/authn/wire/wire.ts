import type { Context } from '../../kernel/context.ts';
import { wireDate, wireDateOrNull } from '../../kernel/texts/dates.ts';
import type { PasswordPolicy, UserRow } from '../../management/users/index.ts';
import { linkedSteps } from './lifecycle.ts';
import { recoveryTypeOf } from './rules.ts';
import type {
  AuthnAnswer,
  RecoveryHandedOut,
  RecoveryMailed,
  SignedIn,
  UnderWay,
} from './transactions/authn-answer.ts';

type Wire = Record<string, unknown>;

const link = (context: Context, path: string, name?: string): Wire => ({
  ...(name === undefined ? {} : { name }),
  href: `${context.baseUrl}/api/v1/authn${path}`,
  hints: { allow: ['POST'] },
});

const relayed = (relayState: string | null): Wire => (relayState === null ? {} : { relayState });

const textOr = (value: unknown, otherwise: string | null): string | null =>
  typeof value === 'string' && value !== '' ? value : otherwise;

const wireUser = ({ id, passwordChangedAt, profile }: UserRow): Wire => ({
  id,
  passwordChanged: wireDateOrNull(passwordChangedAt),
  profile: {
    login: profile.login,
    firstName: textOr(profile['firstName'], null),
    lastName: textOr(profile['lastName'], null),
    locale: textOr(profile['locale'], 'en'),
    timeZone: textOr(profile['timezone'], 'UTC'),
  },
});

const wireUserWithQuestion = (user: UserRow): Wire => ({
  ...wireUser(user),
  ...(user.recoveryQuestion === null ? {} : { recovery_question: { question: user.recoveryQuestion } }),
});

function wirePolicy({ complexity }: PasswordPolicy, passwordExpireDays: number | null): Wire {
  const { excludeUsername, minLength, minLowerCase, minNumber, minSymbol, minUpperCase } = complexity;
  return {
    ...(passwordExpireDays === null ? {} : { expiration: { passwordExpireDays } }),
    complexity: { minLength, minLowerCase, minUpperCase, minNumber, minSymbol, excludeUsername },
  };
}

function wireLinks({ status }: UnderWay, context: Context): Wire {
  const links = linkedSteps(status).map(({ path, relation, step }) => [
    relation,
    link(context, path, relation === 'next' ? step : undefined),
  ]);
  return Object.fromEntries(links);
}

function wireUnderWay(answer: UnderWay, context: Context): Wire {
  const { cause, expiresAt, passwordExpireDays, policy, relayState, stateToken, status, user } = answer;
  const recoveryType = recoveryTypeOf(cause);
  const embedded =
    status === 'RECOVERY'
      ? { user: wireUserWithQuestion(user) }
      : { user: wireUser(user), policy: wirePolicy(policy, passwordExpireDays) };
  return {
    stateToken,
    expiresAt: wireDate(expiresAt),
    status,
    ...(recoveryType === null ? {} : { recoveryType }),
    ...relayed(relayState),
    _embedded: embedded,
    _links: wireLinks(answer, context),
  };
}

const wireHandedOut = (answer: RecoveryHandedOut, context: Context): Wire => ({
  recoveryToken: answer.recoveryToken,
  expiresAt: wireDate(answer.expiresAt),
  status: 'RECOVERY',
  recoveryType: answer.recoveryType,
  ...relayed(answer.relayState),
  _embedded: { user: wireUserWithQuestion(answer.user) },
  _links: { next: link(context, '/recovery/token', 'recovery'), cancel: link(context, '/cancel') },
});

const wireSignedIn = ({ expiresAt, relayState, sessionToken, user }: SignedIn): Wire => ({
  expiresAt: wireDate(expiresAt),
  status: 'SUCCESS',
  sessionToken,
  ...relayed(relayState),
  _embedded: { user: wireUser(user) },
});

const wireMailed = ({ recoveryType, relayState, status }: RecoveryMailed): Wire => ({
  status,
  factorResult: 'WAITING',
  factorType: 'EMAIL',
  recoveryType,
  ...relayed(relayState),
});

export function wireAnswer(answer: AuthnAnswer, context: Context): Wire {
  if ('stateToken' in answer) return wireUnderWay(answer, context);
  if (answer.status === 'SUCCESS') return wireSignedIn(answer);
  if (answer.status === 'RECOVERY_CHALLENGE') return wireMailed(answer);
  if (answer.status === 'RECOVERY_TOKEN') return wireHandedOut(answer, context);
  if (answer.status === 'UNLOCKED') {
    return { status: 'SUCCESS', recoveryType: 'UNLOCK', ...relayed(answer.relayState) };
  }
  return { status: answer.status, _links: { next: link(context, '/recovery/unlock', 'unlock') } };
}
