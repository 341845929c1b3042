import { invalid } from '../../../kernel/errors/errors.ts';
import {
  choice,
  flag,
  integer,
  list,
  mapped,
  notYet,
  object,
  oneOf,
  optional,
  reference,
  text,
} from '../types/document-rules.ts';
import { networkShape } from './network-rules.ts';
import { peopleShape } from './people-rules.ts';
import { signalPlatforms } from './platform-rules.ts';

const LEVELS = ['LOW', 'MEDIUM', 'HIGH'] as const;

const workflow = {
  workflow: object({ id: integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, otherwise: null }) }),
};

/** `ending` is the action that ends sessions. */
const reactions = (ending: 'TERMINATE_SESSION' | 'TERMINATE_ALL_SESSIONS') =>
  mapped(
    // `slo` is not supported, but clients send it as null.
    list(oneOf('action', { [ending]: { slo: notYet }, RUN_WORKFLOW: workflow }), { maximum: 2 }),
    (given, place) => {
      const kinds = given.map(({ action }) => action);
      if (new Set(kinds).size < kinds.length) throw invalid(place, 'must contain each action once.');
      return given;
    },
    (kept) => kept,
  );

/** POST_AUTH_SESSION rules are stored but not evaluated. */
export const postAuthSessionConditions = object({ people: peopleShape });
export const postAuthSessionActions = object({
  postAuthSession: object({ failureActions: reactions('TERMINATE_SESSION') }),
});

/** The values that the contract allows (OpenAPI DetectedRiskEvents). */
const RISK_EVENTS = [
  'ADMIN_REPORTED_USER_RISK',
  'BRUTE_FORCE_ATTACK',
  'ENTITY_CRITICAL_ACTION_FROM_HIGH_THREAT_IP',
  '{WORD}_THREAT_INTELLIGENCE',
  'SECURITY_EVENTS_PROVIDER_REPORTED_RISK',
  'SESSION_INFLUENCED_USER_RISK',
  'SUSPICIOUS_APP_ACCESS',
  'USER_REPORTED_SUSPICIOUS_ACTIVITY',
] as const;
const riskEvents = list(choice(RISK_EVENTS), { maximum: RISK_EVENTS.length });

/** ENTITY_RISK rules are stored but not evaluated. */
export const entityRiskConditions = object({
  people: peopleShape,
  entityRisk: object({ level: choice(['ANY', ...LEVELS], 'ANY') }),
  riskDetectionTypes: optional(object({ include: riskEvents, exclude: riskEvents })),
});
export const entityRiskActions = object({ entityRisk: object({ actions: reactions('TERMINATE_ALL_SESSIONS') }) });

export const sessionViolationConditions = object({
  network: networkShape,
  riskScore: object({ minRiskLevel: choice(LEVELS, 'LOW') }),
});
export const sessionViolationActions = object({
  sessionViolationDetection: object({ policyEvaluation: object({ enabled: flag(true) }) }),
});

export const clientUpdateActions = object({
  updateControls: object({
    actions: list(
      object({ action: choice(['{WORD}_VERIFY_UPDATE']), value: choice(['ALLOW', 'HOTFIX_ONLY', 'DENY']) }),
      {
        maximum: 1,
      },
    ),
  }),
});

export const deviceSignalConditions = object({ network: networkShape, platform: optional(signalPlatforms) });
export const deviceSignalActions = object({
  deviceSignalCollection: object({
    deviceContextProviders: list(
      object({
        key: choice(['{WORD}_VERIFY', 'CHROME_DEVICE_TRUST', 'DEVICE_POSTURE_IDP']),
        id: optional(text()),
        userIdentification: optional(choice(['ALLOW', 'IGNORE'])),
      }),
      { maximum: 10 },
    ),
  }),
});

const provider = object({ id: reference('provider'), name: optional(text()) });

export const claimSourcingActions = object({
  claimSourcing: object({
    redirectType: choice(['IDP_DISCOVERY'], 'IDP_DISCOVERY'),
    refresh: object({
      redirectType: choice(['NONE', 'FIXED'], 'NONE'),
      filter: optional(object({ include: list(provider, { maximum: 10 }) })),
    }),
  }),
});
