import { type AttributeSight, attributeSight, WHOLE_SIGHT } from '../../../access/index.ts';
import { BOOLEAN, compileExpression, faultCauses, type Program, type Symbols } from '../../../expression/index.ts';
import type { Context } from '../../../kernel/context.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import { sizedCache } from '../../../platform/caches/index.ts';
import type { Db, Tx } from '../../../platform/postgres/index.ts';
import { readUserSchemas } from '../../schemas/index.ts';
import { refusedExpression } from '../rules.ts';
import { readActiveRules } from './evaluation-store.ts';
import { groupRuleSymbols } from './profile-symbols.ts';

export interface CompiledRule {
  readonly id: string;
  readonly name: string;
  readonly targetGroupIds: readonly string[];
  readonly excludedGroupIds: readonly string[];
  readonly program: Program;
}

export interface CompiledRules {
  readonly rules: readonly CompiledRule[];
  /** Whether memberships influence other memberships: by an expression, or by groups whose members are excluded. */
  readonly asksGroups: boolean;
  /** Size in the cache. */
  readonly size: number;
}

/** Whether the rule's result depends on memberships. */
export const asksForGroups = ({ excludedGroupIds, program }: CompiledRule): boolean =>
  program.asks.has('groups') || excludedGroupIds.length > 0;

/**
 * Caches the active rules of orgs by their version, which changes with them, so that nothing has to be dropped. The
 * unit is characters of expressions, about 20 bytes each; an instruction of a regular expression counts as 20 of them.
 */
const MAXIMUM_KEPT_SIZE = 4_000_000;
const compiled = sizedCache<CompiledRules>(MAXIMUM_KEPT_SIZE, ({ size }) => size);
const RULE_SIZE = 50;
const INSTRUCTION_SIZE = 20;

async function symbolsOfOrg(db: Db, orgId: OrgId, sight: AttributeSight): Promise<Symbols> {
  const schemas = await readUserSchemas(db, orgId);
  return groupRuleSymbols(
    schemas.map(({ schema }) => schema),
    sight,
  );
}

/**
 * Compiles an expression that the caller writes or activates. 400 E0000001 with a cause for each fault and its
 * position; attributes that the caller does not see count as unknown.
 */
export async function programOf(tx: Tx, context: Context, expression: string): Promise<Program> {
  const result = compileExpression(expression, await symbolsOfOrg(tx, context.orgId, attributeSight(context)), BOOLEAN);
  if (result.ok) return result.program;
  throw refusedExpression(faultCauses('expression', result.faults));
}

/** Returns a test of whether an expression still compiles in the org. */
export async function expressionChecker(tx: Tx, orgId: OrgId): Promise<(expression: string) => boolean> {
  const symbols = await symbolsOfOrg(tx, orgId, WHOLE_SIGHT);
  return (expression) => compileExpression(expression, symbols, BOOLEAN).ok;
}

/** Returns the active rules of a version, which the caller has locked (`lockRulesShared`). */
export async function compiledRules(tx: Tx, orgId: OrgId, version: string): Promise<CompiledRules> {
  const known = compiled.get(version);
  if (known !== undefined) return known;
  const stored = await readActiveRules(tx, orgId);
  const symbols = stored.length === 0 ? null : await symbolsOfOrg(tx, orgId, WHOLE_SIGHT);
  const rules = stored.flatMap(({ expression, ...rule }) => {
    const result = symbols === null ? null : compileExpression(expression, symbols, BOOLEAN);
    // An expression that no longer compiles has been made INVALID by the change of the schema, and matches nobody.
    return result?.ok === true ? [{ ...rule, program: result.program }] : [];
  });
  const sizes = rules.map(({ program }) => RULE_SIZE + INSTRUCTION_SIZE * program.patternSize);
  const size = [...sizes, ...stored.map(({ expression }) => expression.length)].reduce((sum, one) => sum + one, 0);
  const made = { rules, asksGroups: rules.some(asksForGroups), size };
  compiled.set(version, made);
  return made;
}
