import { createHash } from 'node:crypto';
import type { TSchema } from '@sinclair/typebox';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { Context } from '../../kernel/context.ts';
import { type ApiError, apiError, invalid } from '../../kernel/errors.ts';
import { type BodyProblem, scanBody } from './body-scan.ts';
import type { AnyRoute } from './route.ts';

/** No coercion, no defaults, no removal: what a client sent is what is validated. */
const ajv = new Ajv({
  strict: false,
  allErrors: false,
  coerceTypes: false,
  useDefaults: false,
  removeAdditional: false,
});
const validators = new WeakMap<TSchema, ValidateFunction>();

function validatorOf(schema: TSchema): ValidateFunction {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const compiled = ajv.compile(schema);
  validators.set(schema, compiled);
  return compiled;
}

const fieldOf = (error: ErrorObject): string => {
  const path = error.instancePath.replace(/^\//, '').replaceAll('/', '.');
  const missing = error.keyword === 'required' ? String(Reflect.get(error.params, 'missingProperty')) : '';
  return [path, missing].filter((part) => part !== '').join('.');
};

function schemaRefusal(error: ErrorObject | undefined): ApiError {
  const field = error === undefined ? '' : fieldOf(error);
  const name = field === '' ? 'body' : field;
  return invalid(
    name,
    `${name}: ${error?.keyword === 'required' ? 'is required' : (error?.message ?? 'is not valid')}`,
  );
}

const CHARACTER_PROBLEMS: Partial<Record<BodyProblem['kind'], string>> = {
  fourByteCharacter: 'contains a character of four bytes in UTF-8, which is not supported.',
  nul: 'contains the character NUL.',
};

function scanRefusal(problem: BodyProblem): ApiError {
  const text = CHARACTER_PROBLEMS[problem.kind];
  if (text === undefined) return apiError('E0000003');
  const field = problem.field ?? 'body';
  return invalid(field, `${field}: ${text}`);
}

function parseJson(raw: Buffer): unknown {
  const problem = scanBody(raw);
  if (problem !== null) throw scanRefusal(problem);
  try {
    return JSON.parse(raw.toString('utf8')) as unknown;
  } catch {
    throw apiError('E0000003');
  }
}

/** Reads and validates the body of a route; `undefined` where the route takes none or it is absent and optional. */
export function readBody(route: AnyRoute, raw: unknown): unknown {
  const buffer = Buffer.isBuffer(raw) && raw.length > 0 ? raw : null;
  if (route.body === undefined) return undefined;
  if (buffer === null) {
    if (route.bodyOptional === true) return undefined;
    throw apiError('E0000003');
  }
  const value = parseJson(buffer);
  const validate = validatorOf(route.body);
  if (!validate(value)) throw schemaRefusal(validate.errors?.[0]);
  return value;
}

/** Hashes of the key (bound to caller and operation) and of the request, or null. RFC draft: Idempotency-Key. */
export function idempotencyOf(
  route: AnyRoute,
  header: string | string[] | undefined,
  caller: string,
  url: string,
  raw: unknown,
): Context['idempotency'] {
  if (route.idempotent !== true || header === undefined) return null;
  const key = Array.isArray(header) ? header.join(',') : header;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw invalid('Idempotency-Key', 'Idempotency-Key: 1 to 255 visible ASCII characters are allowed.');
  }
  const hash = (...parts: (string | Buffer)[]): Buffer => {
    const digest = createHash('sha256');
    for (const part of parts) digest.update(`${Buffer.byteLength(part)}:`).update(part);
    return digest.digest();
  };
  return {
    keyHash: hash(route.operationId, caller, key),
    requestHash: hash(url, Buffer.isBuffer(raw) ? raw : ''),
  };
}
