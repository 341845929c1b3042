import type { Context } from '../../../kernel/context.ts';
import { notValid } from '../../../kernel/errors/field-errors.ts';
import { lifecycle } from '../../../kernel/lifecycle.ts';
import type { IdKind } from '../../../kernel/words/ids.ts';

export type FactorStatus = 'PENDING_ACTIVATION' | 'ACTIVE';
export type FactorType = 'question' | 'token:software:totp';
/** `OWN` is this service, which the API calls by the namespace word in capitals. */
export type FactorProvider = 'OWN' | 'GOOGLE';

export interface FactorKind {
  readonly factorType: FactorType;
  readonly provider: FactorProvider;
  /** The member of the request that proves the factor. */
  readonly proof: 'answer' | 'passCode';
  readonly idKind: IdKind;
  /** A factor whose device must first send a right code is pending. */
  readonly statusOfNew: FactorStatus;
  readonly displayName: string;
  /** Whether the user knows something, as with a password, or has something. */
  readonly class: 'knowledge' | 'possession';
  /** The value of `amr` for a proof of the factor (RFC 8176 2). */
  readonly amr: 'otp' | 'kba';
}

const TOTP = {
  factorType: 'token:software:totp',
  proof: 'passCode',
  idKind: 'codeFactor',
  class: 'possession',
  amr: 'otp',
} as const;

/** All kinds of factors. A user has at most one factor of each. */
// biome-ignore format: the columns are the documentation
export const FACTOR_KINDS = [
  { factorType: 'question', provider: 'OWN', proof: 'answer', idKind: 'questionFactor', statusOfNew: 'ACTIVE', displayName: 'Security question', class: 'knowledge', amr: 'kba' },
  { ...TOTP, provider: 'OWN', statusOfNew: 'PENDING_ACTIVATION', displayName: 'Authenticator app' },
  { ...TOTP, provider: 'GOOGLE', statusOfNew: 'PENDING_ACTIVATION', displayName: 'Google Authenticator' },
] as const satisfies readonly FactorKind[];

export const MAXIMUM_FACTORS = FACTOR_KINDS.length;

interface Named {
  readonly factorType: string;
  readonly provider: string;
}

export function kindOf({ factorType, provider }: Named): FactorKind {
  const kind = FACTOR_KINDS.find((one) => one.factorType === factorType && one.provider === provider);
  if (kind === undefined) throw new Error(`There is no factor ${factorType} of ${provider}`);
  return kind;
}

/** Returns the provider as the API writes it. */
export const wireProvider = ({ namespace }: Context, { provider }: Pick<FactorKind, 'provider'>): string =>
  provider === 'OWN' ? namespace.upper : provider;

/** Finds the kind that a request names. Throws 400 E0000001 with the member that does not fit. */
export function readKind(context: Context, { factorType, provider }: Named): FactorKind {
  const ofType = FACTOR_KINDS.filter((kind) => kind.factorType === factorType);
  if (ofType.length === 0) throw notValid('factorType');
  const kind = ofType.find((one) => wireProvider(context, one) === provider);
  if (kind === undefined) throw notValid('provider');
  return kind;
}

/**
 * Selects the factors that a sign-in accepts beside the password. Where a user has something, what they know does not
 * stand for it, so that nobody can choose the weaker proof.
 */
export function factorsForSignIn<Held extends Named & { readonly status: FactorStatus }>(
  held: readonly Held[],
): readonly Held[] {
  const active = held.filter(({ status }) => status === 'ACTIVE');
  const possessed = active.filter((factor) => kindOf(factor).class === 'possession');
  return possessed.length > 0 ? possessed : active;
}

/** The kinds that users can enroll by themselves while they sign in. */
export const KINDS_TO_ENROLL = FACTOR_KINDS.filter((kind) => kind.class === 'possession');

/** The operations on a factor. A security question needs no activation. */
export const factorLifecycle = lifecycle<
  FactorStatus,
  'activate' | 'verify' | 'unenroll',
  {
    readonly from: readonly FactorStatus[];
    readonly to: readonly FactorStatus[] | 'unchanged' | 'removed';
    readonly event: string;
  }
>({
  activate: { from: ['PENDING_ACTIVATION'], to: ['ACTIVE'], event: 'user.mfa.factor.activate' },
  verify: { from: ['ACTIVE'], to: 'unchanged', event: 'user.authentication.auth_via_mfa' },
  unenroll: { from: ['PENDING_ACTIVATION', 'ACTIVE'], to: 'removed', event: 'user.mfa.factor.deactivate' },
});
