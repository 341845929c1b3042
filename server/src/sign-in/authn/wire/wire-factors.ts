import type { Context } from '../../../kernel/context.ts';
import { type FactorKind, profileOf, wireActivation, wireProvider } from '../../../management/factors/index.ts';
import type { UserRow } from '../../../management/users/index.ts';
import { isMailbox, maskedAddress, type OfferedFactor, type ShownFactors } from '../factors/shown-factors.ts';
import { AUTHN_STEPS } from '../lifecycle.ts';
import { link, type Wire } from './links.ts';

const named = (context: Context, factor: Pick<FactorKind, 'provider'> & { readonly factorType: string }): Wire => {
  const provider = wireProvider(context, factor);
  return { factorType: factor.factorType, provider, vendorName: provider };
};

function wireFactor(factor: OfferedFactor, user: UserRow, context: Context): Wire {
  const profile = isMailbox(factor) ? { email: maskedAddress(user.profile.email) } : profileOf(factor, user.login);
  return { id: factor.id, ...named(context, factor), profile };
}

const stepOf = ({ id }: OfferedFactor, step: 'verify' | 'resend'): string =>
  AUTHN_STEPS[step].path.replace(':factorId', id);

const wireChoice = (factor: OfferedFactor, user: UserRow, context: Context): Wire => ({
  ...wireFactor(factor, user, context),
  _links: { verify: link(context, stepOf(factor, 'verify')) },
});

const wireKind = (kind: FactorKind, context: Context): Wire => ({
  ...named(context, kind),
  status: 'NOT_SETUP',
  enrollment: 'OPTIONAL',
  _links: { enroll: link(context, AUTHN_STEPS.enroll.path) },
});

/** Renders `_embedded` of a state of second factors (contract section 11). */
export function wireFactors(shown: ShownFactors, user: UserRow, context: Context): Wire {
  if (shown.kind === 'choice') return { factors: shown.factors.map((factor) => wireChoice(factor, user, context)) };
  if (shown.kind === 'enrollment') return { factors: shown.kinds.map((kind) => wireKind(kind, context)) };
  const factor = wireFactor(shown.factor, user, context);
  return {
    factor: shown.kind === 'activation' ? { ...factor, ...wireActivation(shown.secret, user.login, context) } : factor,
  };
}

/** Returns the factor that a state is about, if it is about one. */
export const factorOfState = (shown: ShownFactors | null): OfferedFactor | null =>
  shown?.kind === 'challenge' || shown?.kind === 'activation' ? shown.factor : null;

/** Only a code that was sent by email can be sent again. */
export const resendLinks = (factor: OfferedFactor | null, context: Context): Wire =>
  factor === null || !isMailbox(factor) ? {} : { resend: [link(context, stepOf(factor, 'resend'), 'email')] };
