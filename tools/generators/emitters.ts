import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Event types in the catalogue that nothing emits yet, each with the missing feature. */
export const OWED: Readonly<Record<string, string>> = {
  'core.concurrency.org.limit.violation': 'limit of requests of one org at once',
  'system.log.event.erase': 'erasure of personal data from the log',
  'system.org.rate_limit.warning': 'warning before the rate limit',
};

/** Files that name event types but emit no events. */
const READERS: ReadonlySet<string> = new Set([
  'system-log/write/application-events.ts',
  'system-log/write/event-kinds.ts',
  'system-log/write/events.ts',
]);

const isAlternative = (node: ts.Node): boolean =>
  ts.isConditionalExpression(node) || ts.isParenthesizedExpression(node) || ts.isAsExpression(node);

/** Returns the outermost expression that can have the node's value. */
function valueAround(node: ts.Node): ts.Node {
  let value = node;
  while (isAlternative(value.parent) && !(ts.isConditionalExpression(value.parent) && value.parent.condition === value))
    value = value.parent;
  return value;
}

function isMember(node: ts.Node): boolean {
  const value = valueAround(node);
  return ts.isPropertyAssignment(value.parent) && value.parent.initializer === value;
}

function isArgument(node: ts.Node): boolean {
  const value = valueAround(node);
  return ts.isCallExpression(value.parent) && value.parent.arguments.some((argument) => argument === value);
}

const constantOf = (node: ts.Node): string | null => {
  const { parent } = valueAround(node);
  return ts.isVariableDeclaration(parent) && ts.isIdentifier(parent.name) ? parent.name.text : null;
};

function everyNode(root: ts.Node, visit: (node: ts.Node) => void): void {
  visit(root);
  ts.forEachChild(root, (child) => everyNode(child, visit));
}

/** Returns the event types that a source file emits, judged by the places where the file names them. */
export function emittedIn(text: string, isEventType: (name: string) => boolean): ReadonlySet<string> {
  const source = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true);
  const emitted = new Set<string>();
  const constants = new Map<string, string>();
  everyNode(source, (node) => {
    if (!ts.isStringLiteralLike(node) || !isEventType(node.text)) return;
    if (isMember(node) || isArgument(node)) emitted.add(node.text);
    const constant = constantOf(node);
    if (constant !== null) constants.set(constant, node.text);
  });
  everyNode(source, (node) => {
    const eventType = ts.isIdentifier(node) ? constants.get(node.text) : undefined;
    if (eventType !== undefined && isMember(node)) emitted.add(eventType);
  });
  return emitted;
}

/** Returns the files in a folder that emit each event type. */
export function emittersOf(folder: string, eventTypes: ReadonlySet<string>): ReadonlyMap<string, readonly string[]> {
  const emitters = new Map<string, string[]>();
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !READERS.has(name))
    .sort();
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8');
    for (const eventType of emittedIn(text, (name) => eventTypes.has(name))) {
      emitters.set(eventType, [...(emitters.get(eventType) ?? []), file]);
    }
  }
  return emitters;
}
