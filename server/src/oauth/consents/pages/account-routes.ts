import { Type } from '@sinclair/typebox';
import { MAXIMUM_CLIENT_ID_LENGTH } from '../../../kernel/words/ids.ts';
import { type AnyRoute, choice, route } from '../../../platform/http/index.ts';
import { ACCOUNT_PAGES, FormToken, SENT, SHOWN, UI_LOCALES_FIELD } from '../../../sign-in/index.ts';
import { type AccountConsentsPorts, showConsents, submitConsents } from './account-consents.ts';

export const accountConsentRoutes = (ports: AccountConsentsPorts): AnyRoute[] => [
  route({
    ...SHOWN,
    operationId: 'showConsentsPage',
    url: ACCOUNT_PAGES.consents,
    summary: 'Show the consents of the signed-in user',
    query: { ...UI_LOCALES_FIELD, done: choice('The change that the page confirms to the user.', ['takenBack']) },
    handler: async ({ query, ...request }) => showConsents(ports, request, query.done),
  }),
  route({
    ...SENT,
    operationId: 'sendConsentsPage',
    url: ACCOUNT_PAGES.consents,
    summary: 'Revoke the consents of the signed-in user to an app',
    body: Type.Object({
      formToken: FormToken,
      app: Type.Optional(Type.String({ maxLength: MAXIMUM_CLIENT_ID_LENGTH })),
    }),
    handler: async ({ body, ...request }) => submitConsents(ports, request, body),
  }),
];
