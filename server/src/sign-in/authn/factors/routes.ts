import { type AnyRoute, route } from '../../../platform/http/index.ts';
import {
  ActivateAtSignInBody,
  EnrollAtSignInBody,
  FactorParams,
  StateTokenBody,
  VerifyAtSignInBody,
} from '../contract.ts';
import { AUTHN_STEPS } from '../lifecycle.ts';
import type { AuthnPorts } from '../ports.ts';
import { AUTHN, AUTHN_ROUTE, answered } from '../route-parts.ts';
import { activateFactorAtSignIn, enrollFactorAtSignIn } from './enroll-factor.ts';
import { goBack } from './go-back.ts';
import { resendCode, verifyFactorAtSignIn } from './verify-factor.ts';

const provingRoutes = (ports: AuthnPorts): AnyRoute[] => [
  route({
    ...AUTHN_ROUTE,
    operationId: 'authnVerifyFactor',
    url: AUTHN + AUTHN_STEPS.verify.path,
    summary: 'Verify a second factor',
    params: FactorParams,
    body: VerifyAtSignInBody,
    errors: [
      'E0000001',
      'E0000003',
      'E0000004',
      'E0000007',
      'E0000011',
      'E0000038',
      'E0000047',
      'E0000068',
      'E0000069',
      'E0000079',
      'E0000082',
      'E0000154',
    ],
    handler: async ({ context, params, body }) => {
      return answered(await verifyFactorAtSignIn(ports, context, { ...params, ...body }), context);
    },
  }),
  route({
    ...AUTHN_ROUTE,
    operationId: 'authnResendFactor',
    url: AUTHN + AUTHN_STEPS.resend.path,
    summary: 'Send another code by email',
    params: FactorParams,
    body: StateTokenBody,
    errors: ['E0000001', 'E0000003', 'E0000007', 'E0000011', 'E0000047', 'E0000079'],
    handler: async ({ context, params, body }) =>
      answered(await resendCode(ports, context, { ...params, ...body }), context),
  }),
];

/** The contract describes these routes in section 11. */
export const factorStepRoutes = (ports: AuthnPorts): AnyRoute[] => [
  ...provingRoutes(ports),
  route({
    ...AUTHN_ROUTE,
    operationId: 'authnEnrollFactor',
    url: AUTHN + AUTHN_STEPS.enroll.path,
    summary: 'Enroll a first factor during a sign-in',
    body: EnrollAtSignInBody,
    errors: ['E0000001', 'E0000003', 'E0000011', 'E0000038', 'E0000069', 'E0000079'],
    handler: async ({ context, body }) => answered(await enrollFactorAtSignIn(ports, context, body), context),
  }),
  route({
    ...AUTHN_ROUTE,
    operationId: 'authnActivateFactor',
    url: AUTHN + AUTHN_STEPS.activate.path,
    summary: 'Activate a factor during a sign-in',
    params: FactorParams,
    body: ActivateAtSignInBody,
    errors: [
      'E0000001',
      'E0000003',
      'E0000004',
      'E0000007',
      'E0000011',
      'E0000038',
      'E0000047',
      'E0000068',
      'E0000069',
      'E0000079',
      'E0000082',
    ],
    handler: async ({ context, params, body }) =>
      answered(await activateFactorAtSignIn(ports, context, { ...params, ...body }), context),
  }),
  route({
    ...AUTHN_ROUTE,
    operationId: 'authnPrevious',
    url: AUTHN + AUTHN_STEPS.previous.path,
    summary: 'Return to the choice of a factor',
    body: StateTokenBody,
    errors: ['E0000001', 'E0000003', 'E0000011', 'E0000079'],
    handler: async ({ context, body }) => answered(await goBack(ports, context, body.stateToken), context),
  }),
];
