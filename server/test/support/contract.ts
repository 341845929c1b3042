import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv, type ValidateFunction } from 'ajv';
import { parse } from 'yaml';
import { isRecord, type JsonRecord, toJsonSchema } from './contract-schema.ts';

// This file reads the published contract, which is not in the repository. CONTRACT_DIR names its folder.

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const DIRECTORY = process.env['CONTRACT_DIR'];
const CACHE = join(ROOT, 'node_modules', '.cache', 'gatehouse-contract');
const CONTRACT_WORD = 'okta';

export const hasContract = DIRECTORY !== undefined && existsSync(join(DIRECTORY, 'error-codes.json'));

function contractText(name: string): string {
  if (DIRECTORY === undefined) throw new Error('CONTRACT_DIR is not set');
  return readFileSync(join(DIRECTORY, name), 'utf8');
}

/** Parsing the large YAML files is slow, so the result is cached as JSON. */
function readYaml(name: string): unknown {
  const text = contractText(name);
  const place = join(CACHE, `${createHash('sha256').update(text).digest('hex')}.json`);
  if (existsSync(place)) return JSON.parse(readFileSync(place, 'utf8'));
  const value: unknown = parse(text, { maxAliasCount: -1 });
  mkdirSync(dirname(place), { recursive: true });
  const temporary = `${place}.${process.pid}`;
  writeFileSync(temporary, JSON.stringify(value));
  renameSync(temporary, place);
  return value;
}

export interface ContractError {
  errorCode: string;
  httpStatus: number;
  errorSummary: string;
}

export const contractErrors = (): ContractError[] => JSON.parse(contractText('error-codes.json')) as ContractError[];

export interface ContractOAuthError {
  error: string;
  httpStatus: number;
  internalErrorCode: string;
  errorDescription: string;
}

export const contractOAuthErrors = (): ContractOAuthError[] =>
  JSON.parse(contractText('oauth2-error-codes.json')) as ContractOAuthError[];

export const contractEventTypes = (): ReadonlySet<string> =>
  new Set(
    contractText('event-types.csv')
      .split('\n')
      .slice(1)
      .flatMap((line) => /^([a-z0-9_.]+),/i.exec(line)?.[1] ?? []),
  );

export interface ContractOperation {
  api: string;
  method: string;
  path: string;
  operationId: string;
  scopes: string[];
  public: boolean;
  cors: boolean;
}

/** Returns the operations. Their scopes contain the contract's namespace word. */
export const contractOperations = (): ContractOperation[] =>
  JSON.parse(contractText('operation-scopes.json')) as ContractOperation[];

interface ContractFamilyOperation extends Pick<ContractOperation, 'api' | 'method' | 'path' | 'operationId'> {
  readonly tag: string;
}

/** Returns the operations with their tags. `{Word}` replaces the contract's namespace word at the start of a tag. */
export const contractFamilies = (): ContractFamilyOperation[] =>
  (JSON.parse(contractText('operations.json')) as ContractFamilyOperation[]).map((operation) => ({
    ...operation,
    tag: operation.tag.replace(new RegExp(`^${CONTRACT_WORD}`, 'i'), '{Word}'),
  }));

export const neutralScope = (scope: string): string => scope.replace(`${CONTRACT_WORD}.`, '');

interface Operation {
  responses: JsonRecord;
}

const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete']);

function operationsOf(document: JsonRecord): Map<string, Operation> {
  const operations = new Map<string, Operation>();
  const paths = isRecord(document['paths']) ? document['paths'] : {};
  for (const methods of Object.values(paths)) {
    if (!isRecord(methods)) continue;
    for (const [method, operation] of Object.entries(methods)) {
      if (!METHODS.has(method) || !isRecord(operation)) continue;
      const { operationId, responses } = operation;
      if (typeof operationId === 'string' && isRecord(responses)) operations.set(operationId, { responses });
    }
  }
  return operations;
}

export interface ContractValidator {
  describes: (operationId: string, status: number) => boolean;
  /** Returns one line for each difference; none if the contract describes no body. */
  validateResponse: (operationId: string, status: number, body: unknown) => string[];
}

function pointerOf(document: JsonRecord, reference: string): unknown {
  return reference
    .split('/')
    .slice(1)
    .reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), document);
}

/** Reads an OpenAPI document of the contract, with `word` in place of the contract's namespace word. */
export function loadContract(word: string, file = 'management-openapi.yaml'): ContractValidator {
  const document = readYaml(file);
  if (!isRecord(document)) throw new Error(`${file} is no OpenAPI document`);
  const operations = operationsOf(document);
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true, validateSchema: false });
  const components = isRecord(document['components']) ? document['components'] : {};
  ajv.addSchema({ $id: 'contract', components: toJsonSchema(components, { from: CONTRACT_WORD, to: word }) });
  const validators = new Map<string, ValidateFunction | null>();

  function bodySchema(operationId: string, status: number): unknown {
    const declared = operations.get(operationId)?.responses[String(status)];
    const response =
      isRecord(declared) && typeof declared['$ref'] === 'string'
        ? pointerOf(document as JsonRecord, declared['$ref'])
        : declared;
    const content = isRecord(response) ? response['content'] : undefined;
    const json = isRecord(content) ? content['application/json'] : undefined;
    return isRecord(json) ? json['schema'] : undefined;
  }

  function validatorOf(operationId: string, status: number): ValidateFunction | null {
    const key = `${operationId} ${status}`;
    const known = validators.get(key);
    if (known !== undefined) return known;
    const schema = bodySchema(operationId, status);
    const words = { from: CONTRACT_WORD, to: word };
    const validator = isRecord(schema) ? ajv.compile(toJsonSchema(schema, words)) : null;
    validators.set(key, validator);
    return validator;
  }

  return {
    describes: (operationId, status) => bodySchema(operationId, status) !== undefined,
    validateResponse: (operationId, status, body) => {
      const validator = validatorOf(operationId, status);
      if (validator === null || validator(body)) return [];
      return (validator.errors ?? []).map((error) => {
        const detail = JSON.stringify(error.params);
        return `${operationId} ${status}: ${error.instancePath || '/'} ${error.message ?? error.keyword} ${detail}`;
      });
    },
  };
}
