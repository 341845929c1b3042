import type { Context } from '../../../kernel/context.ts';
import { wireDate, wireDateOrNull } from '../../../kernel/texts/dates.ts';
import type { PasswordPolicy, UserRow } from '../../../management/users/index.ts';
import { linkedSteps } from '../lifecycle.ts';
import { recoveryTypeOf } from '../rules.ts';
import type {
  AuthnAnswer,
  RecoveryHandedOut,
  RecoveryMailed,
  SignedIn,
  UnderWay,
} from '../transactions/authn-answer.ts';
import { link, type Wire } from './links.ts';
import { factorOfState, resendLinks, wireFactors } from './wire-factors.ts';

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

function wireLinks({ factors, status }: UnderWay, context: Context): Wire {
  const factor = factorOfState(factors);
  const links = linkedSteps(status).map(({ path, relation, step }) => [
    relation,
    link(context, path.replace(':factorId', factor?.id ?? ''), relation === 'next' ? step : undefined),
  ]);
  return { ...Object.fromEntries(links), ...resendLinks(factor, context) };
}

function wireEmbedded({ factors, passwordExpireDays, policy, status, user }: UnderWay, context: Context): Wire {
  if (status === 'RECOVERY') return { user: wireUserWithQuestion(user) };
  if (factors !== null) return { user: wireUser(user), ...wireFactors(factors, user, context) };
  return { user: wireUser(user), policy: wirePolicy(policy, passwordExpireDays) };
}

function wireUnderWay(answer: UnderWay, context: Context): Wire {
  const { cause, expiresAt, relayState, stateToken, status } = answer;
  const recoveryType = recoveryTypeOf(cause);
  return {
    stateToken,
    expiresAt: wireDate(expiresAt),
    status,
    ...(recoveryType === null ? {} : { recoveryType }),
    ...relayed(relayState),
    _embedded: wireEmbedded(answer, context),
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
  if (answer.status === 'UNLOCKED' || answer.status === 'PASSWORD_SET') {
    const recoveryType = answer.status === 'UNLOCKED' ? 'UNLOCK' : 'PASSWORD';
    return { status: 'SUCCESS', recoveryType, ...relayed(answer.relayState) };
  }
  return { status: answer.status, _links: { next: link(context, '/recovery/unlock', 'unlock') } };
}
