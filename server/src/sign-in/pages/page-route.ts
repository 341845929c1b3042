import { Type } from '@sinclair/typebox';
import { text } from '../../platform/http/index.ts';

/**
 * The routes are public, because the handlers themselves identify users by the session cookie of browsers
 * (`__Host-sid`).
 */
export const PAGE = {
  tag: 'Pages',
  access: 'public',
  scopes: [],
  cors: false,
  anyAccept: true,
  errorShape: 'page',
  bucket: 'authn',
  errors: ['E0000001', 'E0000003', 'E0000047'],
} as const;

/** Opening a page does not count towards a rate limit, unless its route names another bucket. */
export const SHOWN = {
  ...PAGE,
  bucket: 'unlimited',
  method: 'GET',
  response: { status: 200, schema: Type.String(), mediaType: 'text/html' },
} as const;

/**
 * An accepted form usually leads to a redirect. A refused form leads to a page that shows the fault, in a response with
 * the error's status.
 */
export const SENT = { ...PAGE, method: 'POST', bodyType: 'form', response: { status: 303, schema: null } } as const;

export const UI_LOCALES_FIELD = {
  ui_locales: text('The languages of the page, in order of preference (OpenID Connect Core 3.1.2.1).', 512),
};

export const FormToken = Type.Optional(
  Type.String({ maxLength: 256, description: 'The token of the form, which the page contains.' }),
);
