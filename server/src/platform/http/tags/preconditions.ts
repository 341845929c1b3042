import { apiError } from '../../../kernel/errors/errors.ts';
import type { Precondition } from '../../../kernel/version.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { EdgePorts } from '../ports.ts';
import type { AnyRoute } from '../route.ts';
import { parseIfMatch } from './entity-tag.ts';

export function preconditionOf(
  { clock, tags }: Pick<EdgePorts, 'clock' | 'tags'>,
  route: Pick<AnyRoute, 'conditional'>,
  header: string | undefined,
  orgId: OrgId,
): Precondition | null {
  if (route.conditional !== true || header === undefined) return null;
  const wanted = parseIfMatch(header);
  if (wanted === 'invalid') throw apiError('E0000242');
  return (version) =>
    version !== null && (wanted === 'any' || tags.accepts({ orgId, ...version }, wanted, clock.now()));
}
