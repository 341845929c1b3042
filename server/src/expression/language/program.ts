import type { FunctionDefinition } from '../functions/functions.ts';
import type { Value, ValueType } from './types.ts';

/** A checked expression, in which every name is resolved and every value has a type. */
export type Checked =
  | { readonly op: 'constant'; readonly value: Value; readonly type: ValueType }
  | { readonly op: 'list'; readonly elements: readonly Checked[]; readonly type: ValueType }
  /** An attribute. `path` leads from the variables to its value. */
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

export interface Program {
  readonly root: Checked;
  /** The data that the program needs in addition to the variables. */
  readonly asks: ReadonlySet<'groups' | 'now'>;
  /** The full path of every attribute that the program reads, such as `user.profile.department`. */
  readonly attributes: ReadonlySet<string>;
  /** The estimated cost of compiling the regular expressions, in instructions. */
  readonly patternSize: number;
}
