/** Binary operators with their precedence, loosest first, spelled as they are printed. */
export const PRECEDENCE = {
  '||': 2,
  '&&': 3,
  '==': 4,
  '!=': 4,
  '<': 5,
  '<=': 5,
  '>': 5,
  '>=': 5,
  matches: 5,
  '+': 6,
  '-': 6,
  '*': 7,
  '/': 7,
  '%': 7,
} as const;
export type BinaryOperator = keyof typeof PRECEDENCE;

export const CONDITIONAL_PRECEDENCE = 1;
export const UNARY_PRECEDENCE = 8;
export const POSTFIX_PRECEDENCE = 9;

/** `at` is the position of the node or, after a dot, of its name. It counts UTF-16 units from 0. */
interface Placed {
  readonly at: number;
}

export interface LiteralNode extends Placed {
  readonly op: 'literal';
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'null';
  readonly value: string | number | boolean | null;
}
export interface ArrayNode extends Placed {
  readonly op: 'array';
  readonly elements: readonly Node[];
}
/** A map such as `{'group.id': {...}, 'operator': 'EXACT'}`, which only `isMemberOf` accepts. */
export interface MapNode extends Placed {
  readonly op: 'map';
  readonly entries: readonly { readonly key: string; readonly value: Node }[];
}
export interface NameNode extends Placed {
  readonly op: 'name';
  readonly name: string;
}
export interface MemberNode extends Placed {
  readonly op: 'member';
  readonly target: Node;
  readonly name: string;
}
export interface IndexNode extends Placed {
  readonly op: 'index';
  readonly target: Node;
  readonly index: Node;
}
/**
 * A call. `target` is null in `name(...)`. In `target.name(...)`, it is a namespace such as `String`, an object or a
 * value.
 */
export interface CallNode extends Placed {
  readonly op: 'call';
  readonly target: Node | null;
  readonly name: string;
  readonly arguments: readonly Node[];
}
export interface UnaryNode extends Placed {
  readonly op: 'not' | 'negate';
  readonly operand: Node;
}
export interface BinaryNode extends Placed {
  readonly op: 'binary';
  readonly operator: BinaryOperator;
  readonly left: Node;
  readonly right: Node;
}
export interface ConditionalNode extends Placed {
  readonly op: 'conditional';
  readonly condition: Node;
  readonly whenTrue: Node;
  readonly whenFalse: Node;
}
/** The operator `left ?: right`, which returns the right value if the left value is null or an empty string. */
export interface ElvisNode extends Placed {
  readonly op: 'elvis';
  readonly left: Node;
  readonly right: Node;
}

/** A parsed expression. Its names and types are not yet checked. */
export type Node =
  | LiteralNode
  | ArrayNode
  | MapNode
  | NameNode
  | MemberNode
  | IndexNode
  | CallNode
  | UnaryNode
  | BinaryNode
  | ConditionalNode
  | ElvisNode;

/** An error in an expression. `at` is its position, in UTF-16 units from 0. */
export interface ExpressionFault {
  readonly message: string;
  readonly at: number;
}
