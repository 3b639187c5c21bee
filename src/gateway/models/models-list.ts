import { Problem } from "../../core/problems/problem.ts";
import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import { HttpResponse } from "../../platform/http1/message/http-response.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { errorShapeOf } from "../exchange/model-errors.ts";
import { findAlias, mayUse } from "./find-alias.ts";
import type { ModelsRoute } from "./targets/running-models.ts";

/** Providers have many more; clients need only the id. */
function presented(id: string, isAnthropic: boolean): object {
  return isAnthropic
    ? { type: "model", id, display_name: id, created_at: "1970-01-01T00:00:00Z" }
    : { id, object: "model", created: 0, owned_by: "system" };
}

/** Lists the aliases that the key may use, or returns one of them. */
export function listModels(exchange: Exchange, { models, operation }: ModelsRoute): HttpResponse {
  const isAnthropic = errorShapeOf(operation, exchange.headers) === "anthropic";
  if (operation === "models/{id}") {
    const { name } = findAlias(models, exchange.params.id ?? "", exchange.permissions);
    return json(presented(name, isAnthropic));
  }
  const ids = [...models.aliases.values()]
    .filter((alias) => mayUse(alias, exchange.permissions))
    .map(({ name }) => name);
  const data = ids.map((id) => presented(id, isAnthropic));
  if (!isAnthropic) return json({ object: "list", data });
  return json({ data, has_more: false, first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null });
}

/** Not to be cached: the list depends on the key. */
function json(value: object): HttpResponse {
  const headers = new HttpHeaders({ "content-type": "application/json", "cache-control": "no-store" });
  return new HttpResponse(200, headers, JSON.stringify(value));
}

/** Rejects bodies that would have to be decoded. */
export function checkEncoding({ headers }: Exchange): void {
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding.trim().toLowerCase() !== "identity")
    throw new Problem("unsupported_media_type", { detail: "The body must not be encoded (Content-Encoding)." });
}
