import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const SOURCES = join(ROOT, 'server', 'src');

function initialiserOf(file: ts.SourceFile, name: string): ts.Expression | undefined {
  for (const statement of file.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    const found = statement.declarationList.declarations.find(
      (one) => ts.isIdentifier(one.name) && one.name.text === name,
    );
    if (found !== undefined) return found.initializer;
  }
  return undefined;
}

/** Returns the text to which a TypeScript expression evaluates, or null if the file does not reveal it. */
function textOf(file: ts.SourceFile, node: ts.Expression | undefined): string | null {
  if (node === undefined) return null;
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isNumericLiteral(node))
    return node.text;
  if (ts.isIdentifier(node)) return textOf(file, initialiserOf(file, node.text));
  if (ts.isTaggedTemplateExpression(node) && ts.isNoSubstitutionTemplateLiteral(node.template))
    return node.template.rawText ?? null;
  if (ts.isTemplateExpression(node)) {
    const parts = [node.head.text, ...node.templateSpans.flatMap((s) => [textOf(file, s.expression), s.literal.text])];
    return parts.includes(null) ? null : parts.join('');
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [textOf(file, node.left), textOf(file, node.right)];
    return left === null || right === null ? null : left + right;
  }
  const isJoin =
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    node.expression.name.text === 'join' &&
    ts.isArrayLiteralExpression(node.expression.expression);
  if (!isJoin || !ts.isPropertyAccessExpression(node.expression)) return null;
  const list = node.expression.expression;
  const texts = ts.isArrayLiteralExpression(list) ? list.elements.map((element) => textOf(file, element)) : [null];
  return texts.includes(null) ? null : texts.join(textOf(file, node.arguments[0]) ?? ',');
}

/**
 * Returns a file's regular expressions as `/source/flags`. If the file does not reveal a source, returns the file's
 * name and the code that builds the expression instead.
 */
export function expressionsIn(name: string, text: string): string[] {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.ES2023, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) found.push(node.text);
    const isMade = ts.isNewExpression(node) || ts.isCallExpression(node);
    if (isMade && ts.isIdentifier(node.expression) && node.expression.text === 'RegExp') {
      const [source, flags] = node.arguments ?? [];
      const made = textOf(file, source);
      found.push(made === null ? `${name}: ${node.getText()}` : `/${made}/${textOf(file, flags) ?? ''}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Maps every regular expression in the server's sources, except for tests, to a file that contains the expression. */
export function expressionsOfServer(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const path of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.ts') || path.endsWith('.test.ts')) continue;
    const file = join(SOURCES, path);
    const name = relative(ROOT, file).split(sep).join('/');
    for (const one of expressionsIn(name, readFileSync(file, 'utf8'))) found.set(one, name);
  }
  return found;
}

interface Verdict {
  readonly status: 'safe' | 'vulnerable' | 'unknown';
  readonly complexity?: { readonly summary: string };
  readonly error?: { readonly kind: string };
}
interface Judge {
  checkSync(source: string, flags: string, options: { timeout: number }): Verdict;
}

const PATIENCE_MILLISECONDS = 30_000;

/** Returns a verdict on each expression: `safe`, or the reason why the expression is not known to be safe. */
export async function judge(expressions: readonly string[]): Promise<readonly string[]> {
  if (expressions.length === 0) return [];
  // The package is slow to load, so it is loaded only if there is something to check.
  const name: string = 'recheck';
  const judging = (await import(name)) as Judge;
  return expressions.map((expression) => {
    const end = expression.lastIndexOf('/');
    if (!expression.startsWith('/')) return 'its text is known only while the server runs';
    const options = { timeout: PATIENCE_MILLISECONDS };
    const { complexity, error, status } = judging.checkSync(
      expression.slice(1, end),
      expression.slice(end + 1),
      options,
    );
    return status === 'vulnerable' ? (complexity?.summary ?? status) : (error?.kind ?? status);
  });
}
