import { z } from "zod";
import { configuration } from "./schema.ts";

/** The JSON Schema of a configuration file, `tollgate.yaml`, for editors. */
export function configurationJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(configuration, { io: "input", unrepresentable: "any" });
  return { $schema, title: "A Tollgate configuration (tollgate.yaml)", ...schema };
}
