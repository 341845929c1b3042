import type { Context } from '../../kernel/context.ts';
import { ok } from '../../platform/http/index.ts';
import { AuthnSchema } from './contract.ts';
import type { AuthnAnswer } from './transactions/authn-answer.ts';
import { wireAnswer } from './wire/wire.ts';

export const AUTHN = '/api/v1/authn';

/** The parts that all steps of a sign-in share. */
export const AUTHN_ROUTE = {
  tag: 'Authentication',
  access: 'optional',
  scopes: [],
  bucket: 'authn',
  cors: true,
  method: 'POST',
  response: { status: 200, schema: AuthnSchema },
} as const;

export const answered = (answer: AuthnAnswer, context: Context) => ok(wireAnswer(answer, context));
