import type { PageNode } from "../../client/transport/portal-schema.gen.ts";
import type { ReferenceApi } from "./reference-api.ts";

type Placeholders = Pick<ReferenceApi, "url" | "key">;

/** Replaces the placeholders of text by the API's address and key. */
export function filledText(text: string, { url, key }: Placeholders): string {
  return text.replaceAll("{{url}}", url).replaceAll("{{key}}", key);
}

export function filledNodes(nodes: PageNode[], placeholders: Placeholders): PageNode[] {
  return nodes.map((node) => {
    if (typeof node === "string") return filledText(node, placeholders);
    return node.children ? { ...node, children: filledNodes(node.children, placeholders) } : node;
  });
}
