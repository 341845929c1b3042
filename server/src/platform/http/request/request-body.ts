import { createHash } from 'node:crypto';
import type { Static, TSchema } from '@sinclair/typebox';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { Context } from '../../../kernel/context.ts';
import { type ApiError, apiError, invalid } from '../../../kernel/errors/errors.ts';
import { repeated, unsupportedCharacter } from '../../../kernel/errors/field-errors.ts';
import { oauthError } from '../../../kernel/errors/oauth-errors.ts';
import {
  BLANK,
  mustBeAtMost,
  mustBeOfType,
  mustBeOneOf,
  mustHaveAtMost,
  type Problem,
  type ValueType,
} from '../../../kernel/errors/problems.ts';
import type { AnyRoute } from '../route.ts';
import { type BodyProblem, scanBody } from './body-scan.ts';
import { parseMultipart } from './multipart.ts';
import { decodeQuery, findUnsupportedCharacter } from './text-scan.ts';

/** Coercion, defaults and the removal of members are off, so that validation never changes the client's body. */
const ajv = new Ajv({
  strict: false,
  allErrors: false,
  coerceTypes: false,
  useDefaults: false,
  removeAdditional: false,
});
const EMPTY = Buffer.alloc(0);
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

const NAMES_OF_TYPES: Readonly<Record<string, ValueType>> = {
  array: 'an array',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

/** The problems for the keywords of a schema, in the wording of our other messages. */
const PROBLEMS: Readonly<Record<string, (params: ErrorObject['params'], limit: number) => Problem | undefined>> = {
  required: () => BLANK,
  type: ({ type }) => {
    const name = NAMES_OF_TYPES[String(type)];
    return name === undefined ? undefined : mustBeOfType(name);
  },
  enum: ({ allowedValues }) => (Array.isArray(allowedValues) ? mustBeOneOf(allowedValues.map(String)) : undefined),
  maxLength: (_, limit) => mustBeAtMost(limit),
  minLength: (_, limit) => (limit === 1 ? BLANK : `must be at least ${limit} characters.`),
  maxItems: (_, limit) => mustHaveAtMost(limit),
  minItems: (_, limit) => (limit === 1 ? BLANK : `must have at least ${limit} entries.`),
  maxProperties: (_, limit) => mustHaveAtMost(limit, 'members'),
  maximum: (_, limit) => `must be at most ${limit}.`,
  minimum: (_, limit) => `must be at least ${limit}.`,
};

const problemOf = ({ keyword, message = 'is not valid', params }: ErrorObject): Problem =>
  PROBLEMS[keyword]?.(params, Number(Reflect.get(params, 'limit'))) ?? `${message}.`;

function schemaRefusal(error: ErrorObject | undefined): ApiError {
  const field = error === undefined ? '' : fieldOf(error);
  const name = field === '' ? 'body' : field;
  return invalid(name, error === undefined ? 'is not valid.' : problemOf(error));
}

/** Throws 400 E0000001, which names the first faulty member, if `value` does not match `schema`. */
export function assertIsOf<Schema extends TSchema>(schema: Schema, value: unknown): asserts value is Static<Schema> {
  const validate = validatorOf(schema);
  if (!validate(value)) throw schemaRefusal(validate.errors?.[0]);
}

const CHARACTER_PROBLEMS: Partial<Record<BodyProblem['kind'], Problem>> = {
  fourByteCharacter: 'contains a character of four bytes in UTF-8, which is not supported.',
  nul: 'contains the character NUL.',
};

function scanRefusal(problem: BodyProblem): ApiError {
  const text = CHARACTER_PROBLEMS[problem.kind];
  if (text === undefined) return apiError('E0000003');
  const field = problem.field ?? 'body';
  return invalid(field, text);
}

/** Reads a form (RFC 6749 appendix B), in which each parameter may occur only once. */
function parseForm(route: AnyRoute, raw: Buffer): Record<string, string> {
  // latin1 keeps the bytes unchanged. The decoder validates them as UTF-8.
  const decoded = decodeQuery(raw.toString('latin1'));
  if (!('entries' in decoded)) throw apiError('E0000003');
  const values: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of decoded.entries) {
    if (findUnsupportedCharacter(name) || findUnsupportedCharacter(value)) {
      throw unsupportedCharacter(name);
    }
    if (Object.hasOwn(values, name)) {
      throw route.errorShape === 'oauth' ? oauthError('duplicateParameters') : repeated(name);
    }
    values[name] = value;
  }
  return values;
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

/**
 * Reads and validates the body of a route. An absent `form` counts as an empty one, unless the body is optional. Bytes
 * and multipart forms are not checked against the schema.
 */
export function readBody(route: AnyRoute, raw: unknown, contentType: string | undefined): unknown {
  const buffer = Buffer.isBuffer(raw) && raw.length > 0 ? raw : null;
  if (route.body === undefined) return undefined;
  if (buffer === null) {
    if (route.bodyOptional === true) return undefined;
    if (route.bodyType !== 'form') throw apiError('E0000003');
  }
  if (route.bodyType === 'bytes') return buffer;
  if (route.bodyType === 'multipart') return parseMultipart(buffer ?? EMPTY, contentType ?? '');
  const value = route.bodyType === 'form' ? parseForm(route, buffer ?? Buffer.alloc(0)) : parseJson(buffer ?? EMPTY);
  assertIsOf(route.body, value);
  return value;
}

/** Hashes the idempotency key, bound to the caller and the operation, and the request itself. */
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
    throw invalid('Idempotency-Key', 'must be 1 to 255 visible ASCII characters.');
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
