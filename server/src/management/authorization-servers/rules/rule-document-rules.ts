import { invalid } from '../../../kernel/errors/errors.ts';
import { required } from '../../../kernel/errors/field-errors.ts';
import { grantTypeRow, storedGrantType } from '../../../kernel/grant-types.ts';
import { isAbsent, type Members, readChoice, readInteger, readMembers } from '../../../kernel/words/members.ts';
import { AUTHORIZATION_SERVER_STATUSES, type AuthorizationServerStatus } from '../lifecycle.ts';
import {
  ALL_CLIENTS,
  ANY_SCOPE,
  EVERYONE,
  type IdChoices,
  type ServerRuleConditions,
  type TokenLifetimes,
} from '../policies/policy-rules.ts';
import { gather, readName, readOptionalText, readPriority, readTexts } from './shape-rules.ts';

const MAXIMUM_NAME_LENGTH = 100;
const MAXIMUM_NAMED = 100;

export interface PolicyValues {
  readonly name: string;
  readonly description: string | null;
  readonly clients: readonly string[];
}

export interface RuleValues extends TokenLifetimes {
  readonly name: string;
  readonly conditions: ServerRuleConditions;
}

/** `wanted` is the requested priority. A null priority or status means that the body omits it. */
type Placed<Values> = Values & {
  readonly wanted: number | null;
  readonly givenStatus: AuthorizationServerStatus | null;
};

const readStatus = (value: unknown): AuthorizationServerStatus | null =>
  isAbsent(value) ? null : readChoice('status', value, AUTHORIZATION_SERVER_STATUSES, null);

/** Without conditions, the policy applies to no client. */
function readClients(value: unknown): readonly string[] {
  if (isAbsent(value)) return [];
  const conditions = readMembers('conditions', value, ['clients']);
  const place = 'conditions.clients';
  const clients = readMembers(place, conditions['clients'], ['include']);
  const include = readTexts(`${place}.include`, clients['include'], MAXIMUM_NAMED);
  if (isAbsent(clients['include'])) throw required(`${place}.include`);
  return include.includes(ALL_CLIENTS) ? [ALL_CLIENTS] : include;
}

/** `before` is the policy that the body replaces. */
export function readPolicy(
  body: Members,
  before?: Pick<PolicyValues, 'name'> & Partial<PolicyValues>,
): Placed<PolicyValues> {
  const { type: _type, ...values } = gather<Placed<PolicyValues> & { readonly type: string }>({
    type: () => readChoice('type', body['type'], ['OAUTH_AUTHORIZATION_POLICY'], 'OAUTH_AUTHORIZATION_POLICY'),
    name: () => readName(body['name'], before?.name, MAXIMUM_NAME_LENGTH),
    description: () => readOptionalText('description', body['description'], 255, before?.description),
    clients: () => readClients(body['conditions']),
    wanted: () => readPriority(body['priority']),
    givenStatus: () => readStatus(body['status']),
  });
  return values;
}

function readChoices(place: string, value: unknown): IdChoices {
  const { exclude, include } = readMembers(place, value, ['include', 'exclude']);
  return {
    include: readTexts(`${place}.include`, include, MAXIMUM_NAMED),
    exclude: readTexts(`${place}.exclude`, exclude, MAXIMUM_NAMED),
  };
}

function readGrantTypes(value: unknown, namespaceWord: string): readonly string[] {
  const place = 'conditions.grantTypes.include';
  const given = readTexts(place, readMembers('conditions.grantTypes', value, ['include'])['include'], MAXIMUM_NAMED);
  if (given.length === 0) throw required(place);
  return given.map((text) => {
    const grantType = storedGrantType(text, { word: namespaceWord });
    if (grantType === null || !grantTypeRow(grantType).isInRules) {
      throw invalid(place, `must not contain ${text}, an unknown grant type.`);
    }
    return grantType;
  });
}

function readScopes(value: unknown): readonly string[] {
  const members = readMembers('conditions.scopes', value, ['include']);
  const include = readTexts('conditions.scopes.include', members['include'], MAXIMUM_NAMED);
  return include.includes(ANY_SCOPE) ? [ANY_SCOPE] : include;
}

function readConditions(value: unknown, namespaceWord: string): ServerRuleConditions {
  if (isAbsent(value)) throw required('conditions');
  const members = readMembers('conditions', value, ['people', 'grantTypes', 'scopes']);
  const people = readMembers('conditions.people', members['people'], ['users', 'groups']);
  const conditions = {
    people: {
      users: readChoices('conditions.people.users', people['users']),
      groups: readChoices('conditions.people.groups', people['groups']),
    },
    grantTypes: { include: readGrantTypes(members['grantTypes'], namespaceWord) },
    scopes: { include: readScopes(members['scopes']) },
  };
  const { groups, users } = conditions.people;
  const isForNobody = users.include.length === 0 && groups.include.length === 0;
  if (isForNobody && conditions.grantTypes.include.some((grantType) => grantType !== 'client_credentials')) {
    const cause = `must include users or groups. ${EVERYONE} in groups.include means all of them.`;
    throw invalid('conditions.people', cause);
  }
  return conditions;
}

const PLACE = 'actions.token';

/** The limits of the access token and of the window come from contract section 7. */
function readLifetimes(value: unknown): TokenLifetimes {
  const actions = readMembers('actions', value, ['token']);
  const names = ['accessTokenLifetimeMinutes', 'refreshTokenLifetimeMinutes', 'refreshTokenWindowMinutes'] as const;
  const token = readMembers(PLACE, actions['token'], names);
  const [access, refresh, window] = names.map((name) => token[name]);
  const lifetimes = {
    accessTokenLifetimeMinutes: readInteger(`${PLACE}.${names[0]}`, access, {
      minimum: 5,
      maximum: 1_440,
      otherwise: 60,
    }),
    refreshTokenLifetimeMinutes: readInteger(`${PLACE}.${names[1]}`, refresh, {
      minimum: 0,
      maximum: 2_628_000,
      otherwise: 0,
    }),
    refreshTokenWindowMinutes: readInteger(`${PLACE}.${names[2]}`, window, {
      minimum: 10,
      maximum: 2_628_000,
      otherwise: 10_080,
    }),
  };
  const { accessTokenLifetimeMinutes, refreshTokenLifetimeMinutes } = lifetimes;
  if (refreshTokenLifetimeMinutes !== 0 && refreshTokenLifetimeMinutes < accessTokenLifetimeMinutes) {
    throw invalid(`${PLACE}.${names[1]}`, 'must be 0 or at least accessTokenLifetimeMinutes.');
  }
  return lifetimes;
}

export function readRule(body: Members, namespaceWord: string, storedName?: string): Placed<RuleValues> {
  const {
    lifetimes,
    type: _type,
    ...values
  } = gather<
    Placed<Pick<RuleValues, 'name' | 'conditions'>> & { readonly lifetimes: TokenLifetimes; readonly type: string }
  >({
    type: () => readChoice('type', body['type'], ['RESOURCE_ACCESS'], 'RESOURCE_ACCESS'),
    name: () => readName(body['name'], storedName, MAXIMUM_NAME_LENGTH),
    conditions: () => readConditions(body['conditions'], namespaceWord),
    lifetimes: () => readLifetimes(body['actions']),
    wanted: () => readPriority(body['priority']),
    givenStatus: () => readStatus(body['status']),
  });
  return { ...values, ...lifetimes };
}
