import { type Artifact, type ArtifactRoute, anyMethod } from "../../../../core/artifact/artifact.ts";
import { OperationTools, UnusableOperation } from "../../../../core/mcp/tools/operation-tools.ts";
import { Slice } from "../../../../lib/tasks/slices.ts";
import { parsedDocument } from "./version-contents.ts";

/** An operation as a tool for agents: its size, or why it cannot be one. */
type PossibleTool = { bytes: number; tokens: number } | { problem: string };

type Operation = Pick<ArtifactRoute, "method" | "path">;

/** Finds what an operation of a version would be as a tool. It finds none if the document was not stored. */
export async function possibleTools({
  document,
  routes,
  policies,
}: Artifact): Promise<(operation: Operation) => PossibleTool | undefined> {
  if (!document) return () => undefined;
  const headers = Object.values(policies).flatMap(({ type, options }) =>
    type === "api-key" ? [(options as { header?: string | string[] } | null)?.header ?? []].flat() : [],
  );
  const tools = new OperationTools(parsedDocument(document), { credentialHeaders: headers });
  const keyOf = ({ method, path }: Operation) => `${method} ${path}`;
  const found = new Map<string, PossibleTool>();
  const slice = new Slice();
  for (const route of routes) {
    found.set(keyOf(route), possibleTool(tools, route));
    if (slice.isOver) await slice.next();
  }
  return (operation) => found.get(keyOf(operation));
}

function possibleTool(tools: OperationTools, { method, path, target }: ArtifactRoute): PossibleTool {
  if (method === anyMethod) return { problem: "It is for every method." };
  if ("handler" in target && ["mcp", "models"].includes(target.handler))
    return { problem: `It has the handler ${target.handler}.` };
  try {
    const { bytes, tokens } = tools.toolOf({ path, method });
    return { bytes, tokens };
  } catch (error) {
    if (error instanceof UnusableOperation) return { problem: error.message };
    throw error;
  }
}
