import type { FunctionDefinition } from '../functions/functions.ts';
import type { Value, ValueType } from './types.ts';

/** A checked expression: every name is resolved, every value has a type. */
export type Checked =
  | { readonly op: 'constant'; readonly value: Value; readonly type: ValueType }
  | { readonly op: 'list'; readonly elements: readonly Checked[]; readonly type: ValueType }
  /** An attribute: where it lies in the data of the variables. */
  | { readonly op: 'attribute'; readonly path: readonly string[]; readonly type: ValueType }
  | { readonly op: 'element'; readonly target: Checked; readonly index: Checked; readonly type: ValueType }
  | {
      readonly op: 'call';
      readonly definition: FunctionDefinition;
      readonly arguments: readonly Checked[];
      readonly prepared: unknown;
      readonly type: ValueType;
    }
  | { readonly op: 'not'; readonly operand: Checked; readonly type: ValueType }
  | { readonly op: 'negate'; readonly operand: Checked; readonly type: ValueType }
  | { readonly op: '&&' | '||'; readonly left: Checked; readonly right: Checked; readonly type: ValueType }
  | { readonly op: '==' | '!='; readonly left: Checked; readonly right: Checked; readonly type: ValueType }
  | { readonly op: '<' | '<=' | '>' | '>='; readonly left: Checked; readonly right: Checked; readonly type: ValueType }
  | {
      readonly op: '+' | '-' | '*' | '/' | '%';
      readonly left: Checked;
      readonly right: Checked;
      readonly type: ValueType;
    }
  | { readonly op: 'matches'; readonly left: Checked; readonly prepared: unknown; readonly type: ValueType }
  | {
      readonly op: 'conditional';
      readonly condition: Checked;
      readonly whenTrue: Checked;
      readonly whenFalse: Checked;
      readonly type: ValueType;
    }
  | { readonly op: 'elvis'; readonly left: Checked; readonly right: Checked; readonly type: ValueType };

/** A compiled expression; it holds nothing of whom it is evaluated for. */
export interface Program {
  readonly root: Checked;
  /** The data that it needs besides the variables. */
  readonly asks: ReadonlySet<'groups' | 'now'>;
  /** Every attribute it names, dotted: `user.profile.department`. */
  readonly attributes: ReadonlySet<string>;
  /**
   * Size of its regular expressions in instructions. Together with the length of its text it gives the size of a cache
   * entry.
   */
  readonly patternSize: number;
}
