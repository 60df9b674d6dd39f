/** What the server says of the bodies that it takes: its own OpenAPI document. */

import { admin } from "./api.js";

let reading = null;

function documented() {
  reading ??= admin("GET", "/openapi.json").catch((error) => {
    reading = null;
    throw error;
  });
  return reading;
}

/**
 * The schemas of a body, one for each form that it may have.
 *
 * @param {string} method
 * @param {string} where a path below the admin API, as documented
 */
export async function bodies(method, where) {
  const { paths, components } = await documented();
  const { content } = paths[`/__admin${where}`][method].requestBody;
  const { schema } = content["application/json"];
  const named = ({ $ref, ...own }) =>
    $ref ? components.schemas[$ref.slice($ref.lastIndexOf("/") + 1)] : own;
  return (schema.anyOf ?? schema.oneOf ?? [schema]).map(named);
}

/** The value that a property always has, if there is only one. */
export const fixed = (property) => property?.const ?? property?.enum?.[0];

/** A schema without the null that it may allow as well, and whether it does. */
export function nullable(schema) {
  const others = schema.anyOf?.filter(({ type }) => type !== "null");
  return others?.length === 1 ? [others[0], true] : [schema, false];
}
