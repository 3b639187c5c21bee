import { isJsonObject, type JsonObject } from "../../../lib/text/json-object.ts";
import { Budget, BudgetExceeded } from "../../json-schema/budget.ts";
import { Check } from "../../json-schema/check.ts";
import { explain } from "../../json-schema/explain.ts";
import { Preparation } from "../../json-schema/json-schema.ts";
import type { SchemaNode } from "../../json-schema/schema-node.ts";
import type { Tool, ToolResult } from "../types.ts";

const nodes = new WeakMap<JsonObject, SchemaNode>();

/** Returns what is wrong with the arguments of a tool, in words. Arguments that the tool does not have are errors. */
export function argumentErrors({ inputSchema }: Pick<Tool, "inputSchema">, given: JsonObject): string[] {
  const { properties } = inputSchema;
  const unknown = Object.keys(given).filter((name) => !isJsonObject(properties) || !Object.hasOwn(properties, name));
  if (unknown.length > 0) return unknown.slice(0, 5).map((name) => `There is no argument ${name.slice(0, 64)}.`);
  const node = nodes.get(inputSchema) ?? new Preparation(inputSchema).finish();
  nodes.set(inputSchema, node);
  const budget = new Budget();
  try {
    if (new Check(budget).fits(node, given, 0)) return [];
  } catch (error) {
    if (!(error instanceof BudgetExceeded || error instanceof RangeError)) throw error;
    return ["The arguments are too complex to check."];
  }
  return explain(node, given, "", budget).map(
    ({ pointer, detail }) => `${pointer.slice(1) || "The arguments"} ${detail}`,
  );
}

/** The result of a call whose arguments are not valid: a model can correct them. */
export function argumentsResult(errors: readonly string[]): ToolResult {
  return { content: [{ type: "text", text: `The arguments are not valid.\n${errors.join("\n")}` }], isError: true };
}
