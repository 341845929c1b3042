import { namedPaths, parseExpression } from '../../expression/index.ts';
import { placeholdersOf } from '../../kernel/errors/placeholders.ts';
import type { Problem } from '../../kernel/errors/problems.ts';
import type { AttributeSight } from './attribute-sight.ts';

/** User properties that expressions can read and that are not part of the profile. */
const BESIDE_THE_PROFILE: ReadonlySet<string> = new Set(['id', 'status']);

const USER_NAMES: ReadonlySet<string> = new Set(['user', 'source']);

/** An app's data about a user may derive from any attribute, so authors who do not see all attributes cannot use it. */
const APP_USER_NAME = 'appuser';

const NAMES_A_USER = /(?<![\w.])(?:user|source|appuser)(?![\w$])/;

function hiddenName(sight: AttributeSight, [written = '', first, second]: readonly string[]): string | null {
  // Expressions that are stored but not evaluated may contain `$user` instead of `user`.
  const root = written.replace(/^\$/, '');
  if (root === APP_USER_NAME) return first ?? root;
  if (!USER_NAMES.has(root) || first === undefined) return null;
  if (BESIDE_THE_PROFILE.has(first)) return sight.reach === 'nothing' ? first : null;
  const name = first === 'profile' ? second : first;
  return name === undefined || sight.shows(name) ? null : name;
}

/**
 * Returns a problem if an expression reads an attribute that its author may not see, otherwise null. Unless the author
 * sees all attributes, an expression that mentions users and cannot be parsed is also a problem.
 */
export function hiddenInExpression(sight: AttributeSight, text: string): Problem | null {
  if (sight.reach === 'whole') return null;
  const parsed = parseExpression(text);
  if (!parsed.ok) return NAMES_A_USER.test(text) ? `${parsed.fault.message} at position ${parsed.fault.at}.` : null;
  for (const { at, path } of namedPaths(parsed.node)) {
    const name = hiddenName(sight, path);
    if (name !== null) return `Unknown attribute '${name}' at position ${at}.`;
  }
  return null;
}

/** A template without `${...}` is checked as one expression. */
export function hiddenInTemplate(sight: AttributeSight, template: string): Problem | null {
  if (sight.reach === 'whole') return null;
  const texts = template.includes('${') ? placeholdersOf(template).map(({ text }) => text) : [template];
  for (const text of texts) {
    // Template functions such as `fn:toLowerCase` are called `String.toLowerCase` in expressions.
    const hidden = hiddenInExpression(sight, text.replaceAll(/\bfn:(?=[a-z])/gi, 'String.'));
    if (hidden !== null) return hidden;
  }
  return null;
}
