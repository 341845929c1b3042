import type { Context } from '../../../kernel/context.ts';

export type Wire = Record<string, unknown>;

export const link = (context: Context, path: string, name?: string): Wire => ({
  ...(name === undefined ? {} : { name }),
  href: `${context.baseUrl}/api/v1/authn${path}`,
  hints: { allow: ['POST'] },
});
