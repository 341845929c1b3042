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
  readonly asksGroups: boolean;
  /** The size in the cache, in the unit of MAXIMUM_KEPT_SIZE. */
  readonly size: number;
}

export const asksForGroups = ({ excludedGroupIds, program }: CompiledRule): boolean =>
  program.asks.has('groups') || excludedGroupIds.length > 0;

/**
 * The unit of this limit is one character of an expression. The cache key is the version of an org's rules, so no entry
 * becomes stale.
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

/** Treats attributes that are hidden from the caller as unknown. */
export async function programOf(tx: Tx, context: Context, expression: string): Promise<Program> {
  const result = compileExpression(expression, await symbolsOfOrg(tx, context.orgId, attributeSight(context)), BOOLEAN);
  if (result.ok) return result.program;
  throw refusedExpression(faultCauses('expression', result.faults));
}

export async function expressionChecker(tx: Tx, orgId: OrgId): Promise<(expression: string) => boolean> {
  const symbols = await symbolsOfOrg(tx, orgId, WHOLE_SIGHT);
  return (expression) => compileExpression(expression, symbols, BOOLEAN).ok;
}

/** The caller must have read `version` under a lock on the rules. */
export async function compiledRules(tx: Tx, orgId: OrgId, version: string): Promise<CompiledRules> {
  const known = compiled.get(version);
  if (known !== undefined) return known;
  const stored = await readActiveRules(tx, orgId);
  const symbols = stored.length === 0 ? null : await symbolsOfOrg(tx, orgId, WHOLE_SIGHT);
  const rules = stored.flatMap(({ expression, ...rule }) => {
    const result = symbols === null ? null : compileExpression(expression, symbols, BOOLEAN);
    // A rule that no longer compiles matches nobody.
    return result?.ok === true ? [{ ...rule, program: result.program }] : [];
  });
  const sizes = rules.map(({ program }) => RULE_SIZE + INSTRUCTION_SIZE * program.patternSize);
  const size = [...sizes, ...stored.map(({ expression }) => expression.length)].reduce((sum, one) => sum + one, 0);
  const made = { rules, asksGroups: rules.some(asksForGroups), size };
  compiled.set(version, made);
  return made;
}
