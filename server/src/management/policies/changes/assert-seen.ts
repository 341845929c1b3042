import { attributeSight, hiddenInExpression, type Looker } from '../../../access/index.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import type { RuleDocument } from '../types/rules.ts';

const textAt = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

/** Refuses a rule that reads a user attribute hidden from the caller. */
export function assertSeen(looker: Looker, document: RuleDocument): void {
  const sight = attributeSight(looker);
  if (sight.reach === 'whole') return;
  if (document.type === 'IDP_DISCOVERY') {
    const { attribute } = document.conditions.userIdentifier;
    if (attribute === null || sight.shows(attribute)) return;
    throw invalid('conditions.userIdentifier.attribute', `There is no profile attribute ${attribute}.`);
  }
  const condition = textAt(textAt(document.conditions, 'elCondition'), 'condition');
  const hidden = typeof condition === 'string' ? hiddenInExpression(sight, condition) : null;
  if (hidden !== null) throw invalid('conditions.elCondition.condition', hidden);
}
