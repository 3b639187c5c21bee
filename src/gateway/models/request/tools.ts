import { pricedToolName, type TargetPrice } from "../../../core/artifact/model-price-schema.ts";
import type { Problem } from "../../../core/problems/problem.ts";
import { memberOf, presentValue, textOf } from "../json/edit-json.ts";
import type { JsonValue } from "../json/parse-json.ts";
import { badMember } from "./invalid-request.ts";
import { notStored } from "./stored-state.ts";

/** Something that costs more than tokens. A target without a price for it cannot serve the request. */
export interface PricedFeature {
  kind: "tool" | "tier";
  /** The names under which the price may have it, the most exact first. */
  names: string[];
  /** The member of the body. */
  member: string;
}

const maxTools = 1_000;

/** Types of tools that the client runs. */
const clientTools = ["function", "custom"];
const clientToolPrefixes = ["bash_", "text_editor_", "computer_", "memory_"];

/** Service tiers that cost what the model costs. */
const plainTiers = ["auto", "default", "standard_only"];

/** The features of a request that the price of a target must include. */
export function pricedFeatures(bytes: Buffer, root: JsonValue, allowStored: boolean): PricedFeature[] {
  const features: PricedFeature[] = [];
  for (const tool of toolsIn(root)) {
    const type = typeOf(bytes, tool);
    if (!allowStored) checkToolState(bytes, tool);
    if (
      type === undefined ||
      clientTools.includes(type) ||
      clientToolPrefixes.some((prefix) => type.startsWith(prefix))
    )
      continue;
    features.push({
      kind: "tool",
      names: [type, pricedToolName(type)],
      member: "tools",
    });
  }
  if (presentValue(root, "web_search_options"))
    features.push({ kind: "tool", names: ["web_search_options", "web_search"], member: "web_search_options" });
  const servers = presentValue(root, "mcp_servers");
  if (servers && !(servers.kind === "array" && servers.count === 0))
    features.push({ kind: "tool", names: ["mcp_servers", "mcp"], member: "mcp_servers" });
  addTier(bytes, root, "service_tier", plainTiers, features);
  addTier(bytes, root, "speed", [], features);
  addTier(bytes, root, "inference_geo", ["global"], features);
  return features;
}

function toolsIn(root: JsonValue): readonly JsonValue[] {
  const tools = presentValue(root, "tools");
  if (!tools) return [];
  if (
    tools.kind !== "array" ||
    tools.items!.length !== tools.count ||
    tools.items!.some(({ kind }) => kind !== "object")
  )
    throw badMember("tools", "must be a list of objects");
  if (tools.count > maxTools) throw badMember("tools", `must have at most ${maxTools} tools`);
  return tools.items!;
}

/** Returns the type of a tool. Undefined if it has none, as client tools of Anthropic may. */
function typeOf(bytes: Buffer, tool: JsonValue): string | undefined {
  const type = presentValue(tool, "type");
  if (!type) return undefined;
  if (type.kind !== "string") throw badMember("tools", "has a tool whose type is not a text");
  return textOf(bytes, tool, "type");
}

function checkToolState(bytes: Buffer, tool: JsonValue): void {
  for (const name of ["vector_store_ids", "file_ids", "file_id"])
    if (presentValue(tool, name)) throw notStored(`tools.${name}`);
  const container = presentValue(tool, "container");
  if (!container) return;
  if (container.kind !== "object" || textOf(bytes, container, "type") !== "auto" || memberOf(container, "file_ids"))
    throw notStored("tools.container");
}

function addTier(bytes: Buffer, root: JsonValue, member: string, plain: readonly string[], to: PricedFeature[]): void {
  const value = presentValue(root, member);
  if (!value) return;
  if (value.kind !== "string") throw badMember(member, "must be a text");
  const tier = textOf(bytes, root, member)!.slice(0, 100);
  if (!plain.includes(tier)) to.push({ kind: "tier", names: [tier], member });
}

/** Whether the price of a target includes a feature. */
export function isPriced(price: TargetPrice | undefined, { kind, names }: PricedFeature): boolean {
  if (price === undefined || price === "free") return price !== undefined;
  const prices = kind === "tool" ? price.tools : price.tiers;
  return prices !== undefined && names.some((name) => Object.hasOwn(prices, name));
}

export function notPriced({ kind, names, member }: PricedFeature): Problem {
  const what =
    kind === "tool" ? (member === "tools" ? `has the tool \`${names[0]}\`, which` : "") : `has \`${names[0]}\`, which`;
  return badMember(member, `${what === "" ? "" : `${what} `}is not offered for this model`);
}
