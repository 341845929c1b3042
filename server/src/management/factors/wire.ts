import type { Context } from '../../kernel/context.ts';
import { wireDate } from '../../kernel/texts/dates.ts';
import { changeTarget, type Target } from '../../system-log/index.ts';
import { shownProfile, type UserRow } from '../users/index.ts';
import { FACTOR_KINDS, factorLifecycle, kindOf, wireProvider } from './kinds/factor-kinds.ts';
import { type KeyNames, keyImageOf } from './kinds/key-uri.ts';
import { base32, TIME_STEP_SECONDS } from './kinds/one-time-codes.ts';
import { QUESTION_KEYS, QUESTIONS } from './kinds/question-rules.ts';
import type { Factor } from './store.ts';

type Method = 'GET' | 'POST' | 'DELETE';

const link = (href: string, ...allow: readonly Method[]) => ({ href, hints: { allow } });

const factorsOf = ({ baseUrl }: Context, userId: string): string => `${baseUrl}/api/v1/users/${userId}/factors`;

function linksOf(context: Context, { factorType, id, status, userId }: Factor): Record<string, unknown> {
  const all = factorsOf(context, userId);
  const self = `${all}/${id}`;
  const allowed = new Set(factorLifecycle.linkedFrom(status));
  return {
    ...(allowed.has('activate') ? { activate: link(`${self}/lifecycle/activate`, 'POST') } : {}),
    ...(allowed.has('verify') ? { verify: link(`${self}/verify`, 'POST') } : {}),
    ...(factorType === 'question' ? { questions: link(`${all}/questions`, 'GET') } : {}),
    self: link(self, 'GET', 'DELETE'),
    user: link(`${context.baseUrl}/api/v1/users/${userId}`, 'GET'),
  };
}

/** Returns the name that an authenticator app shows: the login, unless it is hidden from the caller. */
export function credentialIdOf({ id, profile }: UserRow, context: Context): string {
  const { login } = shownProfile(context, id, profile);
  return typeof login === 'string' ? login : id;
}

export const profileOf = ({ question }: Factor, credentialId: string): Record<string, string> =>
  question === null ? { credentialId } : { question, questionText: QUESTIONS[question] };

export function wireFactor(factor: Factor, user: UserRow, context: Context): Record<string, unknown> {
  const { createdAt, factorType, id, lastUpdatedAt, status } = factor;
  const provider = wireProvider(context, factor);
  return {
    id,
    factorType,
    provider,
    vendorName: provider,
    status,
    created: wireDate(createdAt),
    lastUpdated: wireDate(lastUpdatedAt),
    profile: profileOf(factor, credentialIdOf(user, context)),
    _links: linksOf(context, factor),
  };
}

/** Returns the names that an authenticator app shows: the host that the user knows, and the login. */
export const keyNamesOf = (context: Context, account: string): KeyNames => ({
  issuer: new URL(context.baseUrl).hostname,
  account,
});

/**
 * Renders what an authenticator app needs: the shared secret, and an image of it. Only the enrollment shows it.
 */
export function wireActivation(secret: Uint8Array, account: string, context: Context): Record<string, unknown> {
  const sharedSecret = base32(secret);
  const qrcode = { href: keyImageOf(secret, keyNamesOf(context, account)), type: 'image/gif' };
  const parameters = { timeStep: TIME_STEP_SECONDS, sharedSecret, encoding: 'base32', keyLength: sharedSecret.length };
  return { _embedded: { activation: { ...parameters, _links: { qrcode } } } };
}

/** Lists all kinds of factors, with the status of those that the user has. */
export function wireSupported(
  factors: readonly Factor[],
  userId: string,
  context: Context,
): readonly Record<string, unknown>[] {
  const all = factorsOf(context, userId);
  return FACTOR_KINDS.map((kind) => {
    const { factorType, provider } = kind;
    const held = factors.find((one) => one.factorType === factorType && one.provider === provider);
    const name = wireProvider(context, kind);
    return {
      factorType,
      provider: name,
      vendorName: name,
      status: held?.status ?? 'NOT_SETUP',
      enrollment: 'OPTIONAL',
      _links: {
        ...(factorType === 'question' ? { questions: link(`${all}/questions`, 'GET') } : {}),
        ...(held?.status === 'ACTIVE' ? {} : { enroll: link(all, 'POST') }),
      },
    };
  });
}

export const wireQuestions = () => QUESTION_KEYS.map((question) => ({ question, questionText: QUESTIONS[question] }));

const told = ({ factorType, provider, status }: Factor) => ({ factorType, provider, status });

export const factorTarget = (factor: Factor): Target => ({
  id: factor.id,
  type: 'UserFactor',
  alternateId: factor.factorType,
  displayName: kindOf(factor).displayName,
});

export const factorChange = changeTarget(factorTarget, told);
