import type { Context } from '../../../kernel/context.ts';
import { invalid, notFound } from '../../../kernel/errors/errors.ts';
import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import { isAbsent } from '../../../kernel/words/members.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { findApp, findAppPolicy } from '../../apps/index.ts';
import { groupsOfUser } from '../../groups/index.ts';
import { findUserById } from '../../users/index.ts';
import type { SimulationInput } from '../contract.ts';
import type { PoliciesPorts } from '../ports.ts';
import { readActiveRules } from '../rules/rule-store.ts';
import { findDefaultsOf } from '../store.ts';
import { wirePolicyType } from '../types/rules.ts';
import type { PolicyType } from '../types/type-rules.ts';
import type { LoadedRule } from './evaluation-rules.ts';
import { type SimulatedFacts, type SimulatedPolicy, type SimulatedRule, simulate } from './simulation-rules.ts';

/** The types that the contract allows in a simulation (OpenAPI PolicyTypeSimulation). */
const SIMULATED_TYPES = [
  'SIGN_ON',
  'MFA_ENROLL',
  'ACCESS_POLICY',
  'PROFILE_ENROLLMENT',
] as const satisfies readonly PolicyType[];

interface Expansion {
  readonly evaluated: boolean;
  readonly conditions: boolean;
}

function readExpansion(expand: string | undefined): Expansion {
  const words = (expand ?? '').split(',').map((word) => word.trim());
  return { evaluated: words.includes('EVALUATED'), conditions: words.includes('RULE') };
}

function readTypes(types: SimulationInput['policyTypes'], upperWord: string): readonly PolicyType[] {
  if (isAbsent(types)) return SIMULATED_TYPES;
  return types.map((text) => {
    const type = SIMULATED_TYPES.find((known) => wirePolicyType(known, upperWord) === text);
    if (type !== undefined) return type;
    const known = SIMULATED_TYPES.map((one) => wirePolicyType(one, upperWord));
    throw invalid('policyTypes', `must contain only ${known.join(', ')}.`);
  });
}

async function factsOf(
  { db, zones: places }: PoliciesPorts,
  { orgId }: Context,
  given: SimulationInput['policyContext'],
): Promise<SimulatedFacts> {
  const { groups, ip, user, zones } = given ?? {};
  if (!isAbsent(user) && !isAbsent(groups))
    throw invalid('policyContext', 'must have either a user or groups, not both.');
  const found = isAbsent(user) ? undefined : await findUserById(db, orgId, user.id);
  if (!isAbsent(user) && found === undefined) throw notFound(user.id, 'User');
  const memberships = isAbsent(user) ? (groups?.ids ?? null) : await groupsOfUser(db, orgId, user.id);
  const located = isAbsent(ip) ? null : await places.idsAt(orgId, ip);
  return {
    userId: user?.id ?? null,
    groups: memberships === null ? null : new Set(memberships),
    zones: zones?.ids ?? located,
    userTypeId: found?.typeId ?? null,
  };
}

/**
 * For access policies, the result contains only the rules of the app's own policy or, if there are none, of the default
 * policy.
 */
async function rulesFor(db: Db, orgId: OrgId, type: PolicyType, appId: AppId): Promise<readonly LoadedRule[]> {
  const rules = await readActiveRules(db, orgId, type);
  if (type !== 'ACCESS_POLICY') return rules;
  const ofPolicy = (policyId: string | null | undefined) => rules.filter((rule) => rule.policyId === policyId);
  const own = ofPolicy(await findAppPolicy(db, orgId, appId, type));
  return own.length > 0 ? own : ofPolicy((await findDefaultsOf(db, orgId, [type])).get(type));
}

const shownRule = (rule: SimulatedRule, { conditions }: Expansion) => ({
  id: rule.id,
  name: rule.name,
  status: rule.status,
  conditions: conditions ? rule.conditions : [],
});

const shownPolicies = (policies: readonly SimulatedPolicy[], expansion: Expansion) => ({
  policies: policies.map((policy) => ({
    ...shownRule(policy, expansion),
    rules: policy.rules.map((rule) => shownRule(rule, expansion)),
  })),
});

/** Reports which policies and rules would decide a sign-in. Rules of types that are not evaluated are UNDEFINED. */
export async function simulatePolicies(
  ports: PoliciesPorts,
  context: Context,
  bodies: readonly SimulationInput[],
  expand: string | undefined,
): Promise<readonly unknown[]> {
  const { namespace, orgId } = context;
  const expansion = readExpansion(expand);
  const simulations: unknown[] = [];
  for (const { appInstance, policyContext, policyType, policyTypes } of bodies) {
    const types = readTypes(policyTypes ?? policyType, namespace.upper);
    if ((await findApp(ports.db, orgId, appInstance)) === undefined) throw notFound(appInstance, 'AppInstance');
    const facts = await factsOf(ports, context, policyContext);
    for (const type of types) {
      const simulation = simulate(await rulesFor(ports.db, orgId, type, appInstance), facts);
      simulations.push({
        status: simulation.status,
        policyType: [wirePolicyType(type, namespace.upper)],
        result: shownPolicies(simulation.result, expansion),
        undefined: shownPolicies(simulation.undefined, expansion),
        evaluated: shownPolicies(expansion.evaluated ? simulation.evaluated : [], expansion),
      });
    }
  }
  return simulations;
}
