/** What the server says of itself: its OpenAPI documents. */

import { ofRow } from "../words/words.js";
import { Refused, admin, base } from "./api.js";

const JSON_TYPE = "application/json";
const FORM = "multipart/form-data";

/** Has a document be read once; after a failure it is read again. */
function once(read) {
  let reading = null;
  const forget = (error) => {
    reading = null;
    throw error;
  };
  return () => (reading ??= read().catch(forget));
}

const adminDocument = once(() => admin("GET", "/openapi.json"));

const publicDocument = once(async () => {
  const answer = await fetch(`${base}/openapi.json`);
  if (!answer.ok) throw new Refused(answer.status);
  return answer.json();
});

/** The schemas of a body, one for each form, of a documented path below the admin API. */
export async function bodies(method, where) {
  const document = await adminDocument();
  return forms(document.paths[`/__admin${where}`][method], document);
}

/**
 * An operation: how it is called, the schema of its fields, an example of them, which of
 * them the examples name, and the columns of a list that is answered.
 *
 * @typedef {{name: string, method: string, path: string, summary: string,
 *   isRelated: boolean, isForm: boolean, schema: Record<string, any>,
 *   example: Record<string, any>, usual: Set<string>, columns: string[]}} Operation
 */

/**
 * The operations that are described, by name. Related routes come last; what the fixture
 * declares is left out, and what an address that is given ends with leads to.
 *
 * @returns {Promise<Operation[]>}
 */
export async function operations() {
  const document = await publicDocument();
  const paths = Object.entries(document.paths).filter(([path]) => !path.endsWith("/{token}"));
  const found = paths.flatMap(([path, methods]) =>
    Object.entries(methods).filter(([, { tags }]) => !tags?.includes("responses"))
      .map(([method, described]) => ({
        name: described.operationId,
        method: method.toUpperCase(),
        path,
        summary: ofRow(described.summary ?? "", described["x-chinese"]),
        isRelated: Boolean(described.tags?.includes("related_routes")),
        isForm: Boolean(described.requestBody?.content[FORM]),
        schema: described.requestBody ? forms(described, document)[0] : queryOf(described),
        example: examplesOf(described)[0] ?? {},
        usual: new Set(examplesOf(described).flatMap(Object.keys)),
        columns: columnsOf(described, document),
      })));
  const rank = ({ isRelated, name }) => `${Number(isRelated)} ${name}`;
  return found.sort((one, other) => (rank(one) < rank(other) ? -1 : 1));
}

/** The properties of the items of a list that is answered; none if no list is. */
function columnsOf({ responses = {} }, { components }) {
  const inside = (schema) => resolved(schema, components);
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
  return (schema.anyOf ?? schema.oneOf ?? [schema]).map((each) => withAllOf(resolved(each, components)));
}

/** A schema, wherever it stands. */
const resolved = (schema = {}, { schemas }) =>
  schema.$ref ? schemas[schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)] : schema;

/** A schema of which each property says too what `allOf` says of it. */
function withAllOf({ properties = {}, allOf = [], ...own }) {
  const merged = { ...properties };
  for (const { properties: more = {} } of allOf)
    for (const [name, each] of Object.entries(more))
      merged[name] = { ...merged[name], ...each };
  return { ...own, properties: merged };
}

function examplesOf(described) {
  const given = Object.values(contentOf(described).examples ?? {}).map(({ value }) => value);
  if (given.length || described.requestBody) return given;
  const named = (described.parameters ?? []).filter(({ example }) => example !== undefined);
  return [Object.fromEntries(named.map(({ name, example }) => [name, example]))];
}

/** A schema as the first of the types it allows, and whether null is another. */
export function kindOf(schema) {
  const forms = schema.anyOf ?? [schema];
  const others = forms.filter(({ type }) => type !== "null");
  return { ...schema, ...others[0], isNullable: others.length < forms.length };
}
