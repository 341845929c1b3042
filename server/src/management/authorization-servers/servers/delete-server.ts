import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import type { Work } from '../../../system-log/index.ts';
import { servers } from '../resource.ts';

export const deleteServer = (work: Work, context: Context, id: string): Promise<void> =>
  servers.delete(work, context, id, ({ isDefault }) => {
    if (isDefault) throw invalid('default', 'The default authorization server cannot be deleted.');
  });
