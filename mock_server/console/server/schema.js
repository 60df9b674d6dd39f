/** What the server says of itself: its OpenAPI documents. */

import { Refused, admin, base } from "./api.js";

const reading = new Map();

/** Reads a document once; after a failure it is read again. */
function once(name, read) {
  if (!reading.has(name)) {
    const document = read().catch((error) => {
      reading.delete(name);
      throw error;
    });
    reading.set(name, document);
  }
  return reading.get(name);
}

const adminDocument = () => once("admin", () => admin("GET", "/openapi.json"));

const publicDocument = () =>
  once("public", async () => {
    const answer = await fetch(`${base}/openapi.json`);
    if (!answer.ok) throw new Refused(answer.status);
    return answer.json();
  });

/**
 * The schemas of a body, one for each form that it may have.
 *
 * @param {string} method
 * @param {string} where a path below the admin API, as documented
 */
export async function bodies(method, where) {
  const document = await adminDocument();
  return forms(document.paths[`/__admin${where}`][method], document);
}

/**
 * The operations that are described, by name: how each is called, the schema of its fields
 * and an example of them. Neighbours come last. Those that take files are left out, and what the
 * fixture declares.
 *
 * @returns {Promise<{name: string, method: string, path: string, isNeighbour: boolean,
 *   schema: object, example: object}[]>}
 */
export async function operations() {
  const document = await publicDocument();
  const found = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).filter(([, described]) => isForForms(described))
      .map(([method, described]) => ({
        name: described.operationId,
        method: method.toUpperCase(),
        path,
        isNeighbour: Boolean(described.tags?.includes("neighbours")),
        schema: described.requestBody ? forms(described, document)[0] : queryOf(described),
        example: exampleOf(described),
      })));
  const rank = ({ isNeighbour, name }) => `${Number(isNeighbour)} ${name}`;
  return found.sort((one, other) => (rank(one) < rank(other) ? -1 : 1));
}

const isForForms = ({ requestBody, tags }) =>
  !tags?.includes("responses") && (!requestBody || requestBody.content["application/json"]);

/** The query parameters as the schema of an object. */
function queryOf({ parameters = [] }) {
  return {
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
}

const jsonOf = ({ requestBody }) => requestBody?.content["application/json"] ?? {};

function forms(described, { components }) {
  const { schema = {} } = jsonOf(described);
  const named = ({ $ref, ...own }) =>
    $ref ? components.schemas[$ref.slice($ref.lastIndexOf("/") + 1)] : own;
  const found = (schema.anyOf ?? schema.oneOf ?? [schema]).map(named);
  return found.map(withAllOf);
}

/** A schema of which each property says too what `allOf` says of it. */
function withAllOf({ properties = {}, allOf = [], ...own }) {
  const merged = { ...properties };
  for (const { properties: more = {} } of allOf)
    for (const [name, each] of Object.entries(more))
      merged[name] = { ...merged[name], ...each, ...known(each) };
  return { ...own, properties: merged };
}

/** Of values some of which are known by name, those. */
function known({ anyOf = [] }) {
  const listed = anyOf.find(({ enum: values }) => values);
  return listed ? { enum: listed.enum } : {};
}

function exampleOf(described) {
  const [first] = Object.values(jsonOf(described).examples ?? {});
  const parameters = described.requestBody ? [] : described.parameters ?? [];
  return first?.value ?? Object.fromEntries(parameters.map(({ name, example }) => [name, example]));
}

/** The value that a property always has, if there is only one. */
export const fixed = (property) => property?.const ?? property?.enum?.[0];

/** A schema without the null that it may allow as well, and whether it does. */
export function nullable(schema) {
  const others = schema.anyOf?.filter(({ type }) => type !== "null");
  return others?.length === 1 ? [others[0], true] : [schema, false];
}
