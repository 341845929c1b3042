import { Type } from '@sinclair/typebox';
import { type AnyRoute, choice, route, text } from '../../platform/http/index.ts';
import { ACCOUNT_PAGES, FormToken, SENT, SHOWN, UI_LOCALES_FIELD } from '../../sign-in/index.ts';
import {
  POLLING_FLOWS,
  QuestionForm,
  showQuestion,
  submitAnswer,
  type UserInteractionPorts,
} from '../user-interaction/index.ts';
import { lookAtRequest, showRequests } from './waiting-requests.ts';

export const backchannelPageRoutes = (ports: UserInteractionPorts): AnyRoute[] => [
  route({
    ...SHOWN,
    operationId: 'showRequestsPage',
    url: ACCOUNT_PAGES.requests,
    summary: 'Show the requests that wait for the signed-in user',
    query: {
      ...UI_LOCALES_FIELD,
      done: choice('The decision that the page confirms to the user.', ['allowed', 'denied']),
    },
    handler: async ({ query, ...request }) => showRequests(ports, request, query.done),
  }),
  route({
    ...SENT,
    operationId: 'sendRequestsPage',
    url: ACCOUNT_PAGES.requests,
    summary: 'Open a waiting request',
    body: Type.Object({
      formToken: FormToken,
      waiting: Type.Optional(
        Type.String({
          maxLength: 64,
          description: 'The reference of the request to open. It is of no use for polling.',
        }),
      ),
    }),
    handler: async ({ body, ...request }) => lookAtRequest(ports, request, body),
  }),
  route({
    ...SHOWN,
    operationId: 'showBackchannelQuestion',
    url: POLLING_FLOWS.BACKCHANNEL.confirm,
    summary: 'Show the request of an app',
    query: { ...UI_LOCALES_FIELD, request: text('The id of the request, which only this browser can use.', 100) },
    writes: true,
    handler: async ({ query, ...request }) => showQuestion(ports, request, 'BACKCHANNEL', query.request ?? ''),
  }),
  route({
    ...SENT,
    operationId: 'sendBackchannelQuestion',
    url: POLLING_FLOWS.BACKCHANNEL.confirm,
    summary: 'Allow or deny the request of an app',
    body: QuestionForm,
    handler: async ({ body, ...request }) => submitAnswer(ports, request, 'BACKCHANNEL', body),
  }),
];
