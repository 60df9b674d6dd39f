/** What the server says of itself: its OpenAPI documents. */

import { t } from "../words/words.js";
import { Refused, admin, base } from "./api.js";

const JSON_TYPE = "application/json";
const FORM = "multipart/form-data";
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
 * The operations that are described, by name: how each is called, the schema of its fields,
 * an example of them, which of them the examples name, and the columns of a list that is
 * answered. Neighbours come last; what the fixture declares is left out.
 *
 * @returns {Promise<{name: string, method: string, path: string, summary: string,
 *   isNeighbour: boolean, isForm: boolean, schema: object, example: object,
 *   usual: Set<string>, columns: string[]}[]>}
 */
export async function operations() {
  const document = await publicDocument();
  const found = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).filter(([, { tags }]) => !tags?.includes("responses"))
      .map(([method, described]) => ({
        name: described.operationId,
        method: method.toUpperCase(),
        path,
        summary: t(described.summary ?? ""),
        isNeighbour: Boolean(described.tags?.includes("neighbours")),
        isForm: Boolean(described.requestBody?.content[FORM]),
        schema: described.requestBody ? forms(described, document)[0] : queryOf(described),
        example: examplesOf(described)[0] ?? {},
        usual: new Set(examplesOf(described).flatMap(Object.keys)),
        columns: columnsOf(described, document),
      })));
  const rank = ({ isNeighbour, name }) => `${Number(isNeighbour)} ${name}`;
  return found.sort((one, other) => (rank(one) < rank(other) ? -1 : 1));
}

/** The properties of the items of a list that is answered; none if no list is. */
function columnsOf({ responses = {} }, { components }) {
  const inside = (schema = {}) =>
    schema.$ref ? components.schemas[schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)] : schema;
  const answer = inside(responses[200]?.content?.[JSON_TYPE]?.schema);
  const data = inside(answer.properties?.data);
  const list = [data, ...Object.values(data.properties ?? {}).map(inside)].find(({ items }) => items);
  return Object.keys(inside(list?.items).properties ?? {});
}

/** The query parameters as the schema of an object. */
function queryOf({ parameters = [] }) {
  return {
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
}

const contentOf = ({ requestBody }) => requestBody?.content[JSON_TYPE] ?? requestBody?.content[FORM] ?? {};

function forms(described, { components }) {
  const { schema = {} } = contentOf(described);
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

function examplesOf(described) {
  const given = Object.values(contentOf(described).examples ?? {}).map(({ value }) => value);
  if (given.length || described.requestBody) return given;
  const named = (described.parameters ?? []).filter(({ example }) => example !== undefined);
  return [Object.fromEntries(named.map(({ name, example }) => [name, example]))];
}

/** The value that a property always has, if there is only one. */
export const fixed = (property) => property?.const ?? property?.enum?.[0];

/** A schema without the null that it may allow as well, and whether it does. */
export function nullable(schema) {
  const others = schema.anyOf?.filter(({ type }) => type !== "null");
  return others?.length === 1 ? [others[0], true] : [schema, false];
}
