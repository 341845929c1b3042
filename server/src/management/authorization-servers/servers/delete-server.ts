import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import type { Work } from '../../../system-log/index.ts';
import { servers } from '../resource.ts';

/**
 * Throws 404 E0000007 for an unknown server, 412 E0000231 if If-Match names another version, and 400 E0000001 for the
 * default server.
 */
export const deleteServer = (work: Work, context: Context, id: string): Promise<void> =>
  servers.delete(work, context, id, ({ isDefault }) => {
    if (isDefault) throw invalid('default', 'The default authorization server cannot be deleted.');
  });
