import { type AnyRoute, noContent, ok, route } from '../../platform/http/index.ts';
import { enrollFactor } from './changes/enroll-factor.ts';
import { proveFactor } from './changes/prove-factor.ts';
import { resetFactors, unenrollFactor } from './changes/remove-factors.ts';
import {
  ActivateFactorBody,
  EmptyObject,
  EnrollFactorBody,
  FactorListSchema,
  FactorParams,
  FactorResultSchema,
  FactorSchema,
  QuestionListSchema,
  ResetFactorsParams,
  SupportedFactorListSchema,
  UserParams,
  VerifyFactorBody,
} from './contract.ts';
import { getFactor, listFactors } from './get-factors.ts';
import type { FactorPorts } from './ports.ts';
import { credentialIdOf, wireActivation, wireFactor, wireQuestions, wireSupported } from './wire.ts';

const common = {
  tag: 'UserFactor',
  access: 'authenticated',
  bucket: 'user',
  cors: false,
  appliesGrant: true,
} as const;
const reading = { ...common, method: 'GET', scopes: ['users.read'], permission: 'users.read' } as const;
const managing = { ...common, scopes: ['users.manage'], permission: 'users.credentials.manage' } as const;
const removing = { ...common, scopes: ['users.manage'], permission: 'users.credentials.resetFactors' } as const;
const url = '/api/v1/users/:userId/factors';

const readingRoutes = (ports: FactorPorts): AnyRoute[] => [
  route({
    ...reading,
    operationId: 'listFactors',
    url,
    summary: 'List the factors of a user',
    params: UserParams,
    response: { status: 200, schema: FactorListSchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, grant, params }) => {
      const { factors, user } = await listFactors(ports, context, grant, params.userId);
      return ok(factors.map((factor) => wireFactor(factor, user, context)));
    },
  }),
  route({
    ...reading,
    operationId: 'listSupportedFactors',
    url: `${url}/catalog`,
    summary: 'List the factors that a user can have',
    params: UserParams,
    response: { status: 200, schema: SupportedFactorListSchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, grant, params }) => {
      const { factors, user } = await listFactors(ports, context, grant, params.userId);
      return ok(wireSupported(factors, user.id, context));
    },
  }),
  route({
    ...common,
    method: 'GET',
    operationId: 'listSupportedSecurityQuestions',
    url: `${url}/questions`,
    summary: 'List the security questions',
    // The list is the same for everybody, so neither the user nor a right is looked up.
    scopes: [],
    cors: true,
    params: UserParams,
    response: { status: 200, schema: QuestionListSchema },
    errors: ['E0000001'],
    handler: () => Promise.resolve(ok(wireQuestions())),
  }),
  route({
    ...reading,
    operationId: 'getFactor',
    url: `${url}/:factorId`,
    summary: 'Get a factor of a user',
    params: FactorParams,
    response: { status: 200, schema: FactorSchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, grant, params }) => {
      const { factor, user } = await getFactor(ports, context, grant, params);
      return ok(wireFactor(factor, user, context));
    },
  }),
];

const provingRoutes = (ports: FactorPorts): AnyRoute[] => [
  route({
    ...managing,
    method: 'POST',
    operationId: 'enrollFactor',
    url,
    summary: 'Enroll a factor for a user',
    params: UserParams,
    body: EnrollFactorBody,
    response: { status: 200, schema: FactorSchema },
    errors: ['E0000001', 'E0000003', 'E0000007', 'E0000038', 'E0000069'],
    handler: async ({ context, grant, params, body }) => {
      const { factor, secret, user } = await enrollFactor(ports, context, grant, params.userId, body);
      return ok({
        ...wireFactor(factor, user, context),
        ...(secret === null ? {} : wireActivation(secret, credentialIdOf(user, context), context)),
      });
    },
  }),
  route({
    ...managing,
    method: 'POST',
    operationId: 'activateFactor',
    url: `${url}/:factorId/lifecycle/activate`,
    summary: 'Activate a factor of a user',
    params: FactorParams,
    body: ActivateFactorBody,
    response: { status: 200, schema: FactorSchema },
    errors: ['E0000001', 'E0000003', 'E0000007', 'E0000038', 'E0000047', 'E0000068', 'E0000069'],
    handler: async ({ context, grant, params, body }) => {
      const { factor, user } = await proveFactor(ports, context, grant, params, 'activate', body);
      return ok(wireFactor(factor, user, context));
    },
  }),
  route({
    ...managing,
    method: 'POST',
    operationId: 'verifyFactor',
    url: `${url}/:factorId/verify`,
    summary: 'Verify a factor of a user',
    params: FactorParams,
    body: VerifyFactorBody,
    response: { status: 200, schema: FactorResultSchema },
    errors: [
      'E0000001',
      'E0000003',
      'E0000007',
      'E0000038',
      'E0000047',
      'E0000068',
      'E0000069',
      'E0000082',
      'E0000154',
    ],
    handler: async ({ context, grant, params, body }) => {
      await proveFactor(ports, context, grant, params, 'verify', body);
      return ok({ factorResult: 'SUCCESS' });
    },
  }),
];

const removingRoutes = (ports: FactorPorts): AnyRoute[] => [
  route({
    ...removing,
    method: 'DELETE',
    operationId: 'unenrollFactor',
    url: `${url}/:factorId`,
    summary: 'Remove a factor of a user',
    params: FactorParams,
    response: { status: 204, schema: null },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, grant, params }) => {
      await unenrollFactor(ports, context, grant, params);
      return noContent();
    },
  }),
  route({
    ...removing,
    tag: 'UserLifecycle',
    cors: true,
    method: 'POST',
    operationId: 'resetFactors',
    url: '/api/v1/users/:id/lifecycle/reset_factors',
    summary: 'Remove all factors of a user',
    params: ResetFactorsParams,
    response: { status: 200, schema: EmptyObject },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, grant, params }) => {
      await resetFactors(ports, context, grant, params.id);
      return ok({});
    },
  }),
];

export const factorRoutes = (ports: FactorPorts): AnyRoute[] => [
  ...readingRoutes(ports),
  ...provingRoutes(ports),
  ...removingRoutes(ports),
];
