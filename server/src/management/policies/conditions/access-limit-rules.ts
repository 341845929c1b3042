import type { AccessActions, AccessConditions } from './access-rules.ts';

/** The reasons why a rule lets nobody in even if it does not deny access (ADR 0053). */
export type AccessLimit = 'SECOND_FACTOR_REQUIRED' | 'CONDITION_NOT_EVALUATED';

/** The parts of a rule that cannot be evaluated or verified, as paths in its document. */
export interface ClosedParts {
  readonly conditions: readonly string[];
  readonly actions: readonly string[];
}

type Platforms = NonNullable<AccessConditions['platform']>;
type Platform = NonNullable<Platforms['include']>[number];
type Verification = AccessActions['appSignOn']['verificationMethod'];
type Assurance = Extract<Verification, { readonly type: 'ASSURANCE' }>;
type Constraint = NonNullable<Assurance['constraints']>[number];
type Chain = Extract<Verification, { readonly type: 'AUTH_METHOD_CHAIN' }>['chains'][number];

const isEvery = ({ os, type }: Platform): boolean =>
  type === 'ANY' &&
  (os === undefined || (os.type === 'ANY' && os.expression === undefined && os.version === undefined));

const isEveryPlatform = ({ exclude = [], include = [] }: Platforms): boolean =>
  exclude.length === 0 && (include.length === 0 || include.some(isEvery));

/** Returns the conditions that cannot be evaluated, except those that match everybody. */
export function openConditions(conditions: AccessConditions | null): readonly string[] {
  if (conditions === null) return [];
  const { device, elCondition, platform, riskScore } = conditions;
  const isDeviceAsked = device?.registered !== undefined || device?.managed !== undefined;
  return [
    ...(riskScore.level === 'ANY' ? [] : ['conditions.riskScore']),
    ...(isDeviceAsked ? ['conditions.device'] : []),
    ...(platform === undefined || isEveryPlatform(platform) ? [] : ['conditions.platform']),
    ...(elCondition === undefined ? [] : ['conditions.elCondition']),
  ];
}

const PASSWORD_KEY = '{word}_password';

const isPassword = ({ key, method }: { readonly key: string; readonly method?: string | undefined }): boolean =>
  key.endsWith(PASSWORD_KEY.replace('{word}', '')) && (method === undefined || method === 'password');

function isMetByPassword({ knowledge, possession }: Constraint): boolean {
  if (possession !== undefined) return false;
  if (knowledge === undefined) return true;
  const { authenticationMethods = [], excludedAuthenticationMethods = [], methods = [], types = [] } = knowledge;
  return (
    (types.length === 0 || types.includes('PASSWORD')) &&
    (methods.length === 0 || methods.includes('PASSWORD')) &&
    (authenticationMethods.length === 0 || authenticationMethods.some(isPassword)) &&
    !excludedAuthenticationMethods.some(isPassword)
  );
}

const isChainOfPassword = ({ authenticationMethods, next = [] }: Chain): boolean =>
  next.length === 0 &&
  authenticationMethods.some(
    (method) =>
      isPassword(method) &&
      method.hardwareProtection !== 'REQUIRED' &&
      method.phishingResistant !== 'REQUIRED' &&
      method.userVerification !== 'REQUIRED',
  );

export interface PasswordVerdict {
  readonly missing: readonly string[];
  /** ISO 8601 durations. The shortest applies. */
  readonly reauthenticateIn: readonly string[];
}

const PLACE = 'actions.appSignOn.verificationMethod';

const given = (...durations: readonly (string | undefined)[]): readonly string[] =>
  durations.filter((duration) => duration !== undefined);

function verdictOfAssurance(method: Assurance): PasswordVerdict {
  const { constraints = [], factorMode, inactivityPeriod, reauthenticateIn } = method;
  const met = constraints.find(isMetByPassword);
  const missing = [
    ...(factorMode === '2FA' ? [`${PLACE}.factorMode`] : []),
    ...(constraints.length > 0 && met === undefined ? [`${PLACE}.constraints`] : []),
    ...(inactivityPeriod === undefined ? [] : [`${PLACE}.inactivityPeriod`]),
  ];
  return { missing, reauthenticateIn: given(reauthenticateIn, met?.knowledge?.reauthenticateIn) };
}

export function verdictOfPassword(method: Verification): PasswordVerdict {
  if (method.type === 'ASSURANCE') return verdictOfAssurance(method);
  if (method.type === 'ID_PROOFING') return { missing: [`${PLACE}.type`], reauthenticateIn: [] };
  const chain = method.chains.find(isChainOfPassword);
  if (chain === undefined) return { missing: [`${PLACE}.chains`], reauthenticateIn: [] };
  return { missing: [], reauthenticateIn: given(method.reauthenticateIn, chain.reauthenticateIn) };
}

export function closedParts(conditions: AccessConditions | null, { appSignOn }: AccessActions): ClosedParts {
  const missing = appSignOn.access === 'DENY' ? [] : verdictOfPassword(appSignOn.verificationMethod).missing;
  return { conditions: openConditions(conditions), actions: missing };
}

const PARTS = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;
const SECONDS = [86_400, 3_600, 60, 1] as const;

/** Converts a duration of a rule, such as PT2H, to seconds. */
export function secondsOf(duration: string): number {
  const parts = PARTS.exec(duration)?.slice(1) ?? [];
  return SECONDS.reduce((sum, seconds, index) => sum + seconds * Number(parts[index] ?? 0), 0);
}
