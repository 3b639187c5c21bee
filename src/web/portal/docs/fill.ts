import type { PageNode } from "../../../client/portal/schema.gen.ts";
import { createdKey } from "../queries/created-key.ts";

/** Text with the API's address, and the visitor's own key if it was created in this tab. */
export function filledText(text: string, url: string): string {
  return text.replaceAll("{{url}}", url).replaceAll("{{key}}", createdKey() ?? "YOUR_API_KEY");
}

export function filledNodes(nodes: PageNode[], url: string): PageNode[] {
  return nodes.map((node) => {
    if (typeof node === "string") return filledText(node, url);
    return node.children ? { ...node, children: filledNodes(node.children, url) } : node;
  });
}
