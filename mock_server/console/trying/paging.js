/** The pages of a list that is asked for by `offset` or by `pageNum`. */

import { kindOf } from "./fields.js";
import { listIn } from "./table.js";

/**
 * The fields that lead to the pages before and after: `{previous, next}`, each null where
 * there is none; null for what has no pages.
 */
export function pagesAround({ schema: { properties } }, fields, data) {
  const list = listIn(data);
  if (!list || typeof data.total !== "number" || !("pageSize" in properties)) return null;
  const size = Number(fields.pageSize ?? kindOf(properties.pageSize).default ?? Math.max(list.length, 1));
  const isNumbered = fields.pageNum !== undefined || (fields.offset === undefined && properties.pageNum?.default);
  if (isNumbered) {
    const page = Number(fields.pageNum ?? 1);
    return { previous: page > 1 ? { pageNum: page - 1 } : null, next: page * size < data.total ? { pageNum: page + 1 } : null };
  }
  if (!("offset" in properties)) return null;
  const offset = Number(fields.offset ?? 0);
  const end = offset + list.length;
  return {
    previous: offset > 0 ? { offset: Math.max(0, Math.min(offset, data.total) - size) } : null,
    next: list.length && end < data.total ? { offset: end } : null,
  };
}
