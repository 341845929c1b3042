import type { Context } from '../../../kernel/context.ts';
import { changeTarget, type Target } from '../../../system-log/index.ts';
import { wireScope } from './grant-rules.ts';
import type { ScopeGrant } from './grant-store.ts';

const scopeTarget = ({ id, scope }: ScopeGrant, { namespace }: Context): Target => ({
  id: wireScope(scope, namespace),
  type: 'Scope',
  alternateId: id,
  displayName: wireScope(scope, namespace),
});

export const scopeChange = changeTarget(scopeTarget, ({ scope }, { namespace }) => ({
  scope: wireScope(scope, namespace),
}));
