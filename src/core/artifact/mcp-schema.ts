import { z } from "zod";
import type { OperationTool } from "../mcp/tools/operation-tools.ts";

/** The options of a route with the handler `mcp`. */
export const mcpRouteSchema = z.strictObject({
  tools: z
    .array(z.string().min(1, "must be an operationId"))
    .min(1, "must name at least one operation")
    .max(1000, "must name at most 1000 operations")
    .meta({ description: "The operations that are offered, by operationId." }),
  mode: z
    .enum(["tools", "search"])
    .default("tools")
    .meta({ description: "`tools`: each operation is a tool. `search`: two tools find operations and call them." }),
  title: z
    .string()
    .min(1)
    .max(200, "must be at most 200 characters")
    .optional()
    .meta({ description: "The name of the server in clients. By default the title of the document." }),
  instructions: z
    .string()
    .min(1)
    .max(20_000, "must be at most 20000 characters")
    .optional()
    .meta({ description: "Tells models how to use the API." }),
});

type McpRouteOptions = z.output<typeof mcpRouteSchema>;

/** An operation that is offered as a tool. Its binding names the route. */
export interface ArtifactTool extends OperationTool {
  tags?: string[];
}

/** The target of a route with the handler `mcp`. */
export interface McpTarget {
  handler: "mcp";
  mcp: Omit<McpRouteOptions, "tools"> & { version: string; tools: ArtifactTool[] };
}
