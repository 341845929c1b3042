import type { Context } from '../../kernel/context.ts';
import type { Target } from '../../system-log/index.ts';
import { wireScope } from './grant-rules.ts';
import type { ScopeGrant } from './grant-store.ts';

/** How events name a grant: by its scope, as clients know it. */
export const scopeTarget = ({ id, scope }: ScopeGrant, { namespace }: Context): Target => ({
  id: wireScope(scope, namespace),
  type: 'Scope',
  alternateId: id,
  displayName: wireScope(scope, namespace),
});
