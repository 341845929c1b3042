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

/** Routes of the pages on which users answer the requests that apps make while the user is on another device. */
export const backchannelPageRoutes = (ports: UserInteractionPorts): AnyRoute[] => [
  route({
    ...SHOWN,
    operationId: 'showRequestsPage',
    url: ACCOUNT_PAGES.requests,
    summary: 'Show which apps wait for one’s answer',
    query: { ...UI_LOCALES_FIELD, done: choice('What has just happened.', ['allowed', 'denied']) },
    handler: async ({ query, ...request }) => showRequests(ports, request, query.done),
  }),
  route({
    ...SENT,
    operationId: 'sendRequestsPage',
    url: ACCOUNT_PAGES.requests,
    summary: 'Look at one of them',
    body: Type.Object({
      formToken: FormToken,
      waiting: Type.Optional(
        Type.String({ maxLength: 64, description: 'Which one: nothing that anybody polls with.' }),
      ),
    }),
    handler: async ({ body, ...request }) => lookAtRequest(ports, request, body),
  }),
  route({
    ...SHOWN,
    operationId: 'showBackchannelQuestion',
    url: POLLING_FLOWS.BACKCHANNEL.confirm,
    summary: 'Ask whether an app may have what it asks for',
    query: { ...UI_LOCALES_FIELD, request: text('What was looked at; good in this browser.', 100) },
    writes: true,
    handler: async ({ query, ...request }) => showQuestion(ports, request, 'BACKCHANNEL', query.request ?? ''),
  }),
  route({
    ...SENT,
    operationId: 'sendBackchannelQuestion',
    url: POLLING_FLOWS.BACKCHANNEL.confirm,
    summary: 'Allow an app what it asks for, or not',
    body: QuestionForm,
    handler: async ({ body, ...request }) => submitAnswer(ports, request, 'BACKCHANNEL', body),
  }),
];
