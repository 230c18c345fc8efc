/** GitHub's published OpenAPI description as a judge: is this request, is this answer, one that GitHub knows? */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';

type Json = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Json;
}

interface Body {
  readonly required?: boolean;
  readonly content?: Readonly<Record<string, { readonly schema: Json }>>;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body | { readonly $ref: string }>>;
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

export interface Route {
  readonly id: string;
  readonly template: string;
  readonly operation: Operation;
  /** Values of the path's parameters, decoded. */
  readonly path: Readonly<Record<string, string>>;
}

/** Answers that every operation may give, whether or not its description lists them: limits and failures. */
const everywhere = new Set([401, 403, 404, 429, 500, 502, 503]);

/** The one 13 MB file, read once a process. */
const description: Description = JSON.parse(
  readFileSync(
    createRequire(import.meta.url).resolve('@octokit/openapi/generated/api.github.com.json'),
    'utf8',
  ),
);

const routes = Object.entries(description.paths)
  .map(([template, methods]) => ({
    template,
    methods,
    pattern: new RegExp(`^${template.replace(/[.+]/g, '\\$&').replace(/\{[^}]+\}/g, '([^/]+)')}$`),
    names: [...template.matchAll(/\{([^}]+)\}/g)].map((match) => match[1]!),
  }))
  // A path with fewer parameters is the more exact one: `/issues/comments` before `/issues/{issue_number}`.
  .sort((one, other) => one.names.length - other.names.length);

/** The operation for a method and a path without query; null when GitHub has none. */
export function findRoute(method: string, path: string): Route | null {
  for (const { template, methods, pattern, names } of routes) {
    const match = pattern.exec(path);
    const operation = methods[method.toLowerCase()];
    if (match === null || operation === undefined) continue;
    const values = names.map((name, index) => [name, decodeURIComponent(match[index + 1]!)] as const);
    return { id: operation.operationId, template, operation, path: Object.fromEntries(values) };
  }
  return null;
}

/** What is wrong with a request; empty when GitHub would understand it. */
export function requestProblems(route: Route, query: URLSearchParams, body: unknown): readonly string[] {
  const problems: string[] = [];
  const known = (route.operation.parameters ?? []).map((parameter) => deref<Parameter>(parameter));
  for (const parameter of known) {
    if (parameter.in === 'header') continue;
    const text = parameter.in === 'path' ? route.path[parameter.name] : query.get(parameter.name);
    if (text === undefined || text === null) {
      if (parameter.required === true) problems.push(`the parameter ${parameter.name} is missing`);
      continue;
    }
    problems.push(...schemaProblems(parameter.schema, fromText(text, parameter.schema), parameter.name));
  }
  const queryNames = new Set(known.filter((one) => one.in === 'query').map((one) => one.name));
  // The paging of some operations is described in words only; their pages work all the same.
  for (const name of query.keys()) {
    if (!queryNames.has(name)) problems.push(`the parameter ${name} is not one of ${route.id}`);
  }
  const wanted = route.operation.requestBody;
  const schema = wanted?.content?.['application/json']?.schema;
  if (schema === undefined && body !== undefined) problems.push('there is a body where none belongs');
  if (schema !== undefined && body === undefined && wanted?.required === true) {
    problems.push('the body is missing');
  }
  if (schema !== undefined && body !== undefined) problems.push(...schemaProblems(schema, body, 'body'));
  return problems;
}

/** What is wrong with an answer; empty when GitHub could have given it. */
export function answerProblems(route: Route, status: number, body: unknown): readonly string[] {
  const listed = route.operation.responses[String(status)];
  if (listed === undefined) {
    return everywhere.has(status)
      ? schemaProblems({ $ref: '#/components/schemas/basic-error' }, body, 'answer')
      : [`${route.id} never answers ${status}`];
  }
  const schema = deref<Body>(listed).content?.['application/json']?.schema;
  if (schema === undefined) return body === undefined ? [] : [`${route.id} has no body with ${status}`];
  return schemaProblems(schema, body, 'answer');
}

const ajv = new Ajv({ strict: false, allErrors: true });
formats.default(ajv);
const compiled = new Map<Json, ValidateFunction>();

function schemaProblems(schema: Json, value: unknown, where: string): readonly string[] {
  let validate = compiled.get(schema);
  if (validate === undefined) {
    validate = ajv.compile(standalone(schema));
    compiled.set(schema, validate);
  }
  if (validate(value)) return [];
  return (validate.errors ?? []).map((error) => `${where}${error.instancePath} ${error.message}`);
}

/** A schema with all it refers to beside it, in the dialect that ajv reads. */
function standalone(schema: Json): Json {
  const definitions: Record<string, unknown> = {};
  const translate = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(translate);
    if (typeof value !== 'object' || value === null) return value;
    const node = value as Json;
    if (typeof node['$ref'] === 'string') {
      const name = node['$ref'].replace('#/components/schemas/', '');
      if (!Object.hasOwn(definitions, name)) {
        // Reserved before the descent, because schemas refer to each other in circles.
        definitions[name] = true;
        definitions[name] = translate(deref(node as { readonly $ref: string }));
      }
      return { $ref: `#/definitions/${name}` };
    }
    const { nullable, discriminator, example, examples, ...rest } = node;
    const plain = Object.fromEntries(Object.entries(rest).map(([key, part]) => [key, translate(part)]));
    return nullable === true ? { anyOf: [plain, { type: 'null' }] } : plain;
  };
  const root = translate(schema) as Json;
  return { ...root, definitions };
}

function deref<Wanted>(value: Wanted | { readonly $ref: string }): Wanted {
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as Wanted;
  const [, , kind = '', name = ''] = value.$ref.split('/');
  const found = description.components[kind]?.[name];
  if (found === undefined) throw new Error(`the description refers to ${value.$ref}, which it does not hold`);
  return found as unknown as Wanted;
}

/** Text of a path or query as the number its schema wants; text that is no number stays, and is refused. */
function fromText(text: string, schema: Json): unknown {
  const number = Number(text);
  return schema['type'] === 'integer' && text.trim() !== '' && Number.isFinite(number) ? number : text;
}

/** The smallest object that a schema of the description allows, with these values in place of its own. */
export function sample(name: string, values: Json = {}): Json {
  return { ...(smallest({ $ref: `#/components/schemas/${name}` }) as Json), ...values };
}

function smallest(schema: Json): unknown {
  const node = deref<Json>(schema as { readonly $ref: string });
  if (node['nullable'] === true) return null;
  const [first] = (node['allOf'] ?? node['anyOf'] ?? node['oneOf'] ?? []) as readonly Json[];
  if (first !== undefined) return smallest(first);
  if (node['enum'] !== undefined) return (node['enum'] as readonly unknown[])[0];
  switch (node['type']) {
    case 'object': {
      const properties = (node['properties'] ?? {}) as Readonly<Record<string, Json>>;
      const required = (node['required'] ?? []) as readonly string[];
      return Object.fromEntries(required.map((key) => [key, smallest(properties[key] ?? {})]));
    }
    case 'array':
      return [];
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return false;
    default:
      return textOf(node['format']);
  }
}

function textOf(format: unknown): string {
  if (format === 'date-time') return '2026-03-01T12:00:00Z';
  return format === 'uri' || format === 'uri-template' ? 'https://example.com/' : 'x';
}
