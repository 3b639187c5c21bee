import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { moduleCompilerOptions } from "../../lib/files/module-compiler-options.ts";
import { missingPrograms, programBeside } from "../../lib/files/program-beside.ts";
import { json } from "./new-project.ts";

/** The JSON Schema of tollgate.json, to which that file refers. The server has the same at /schemas/project.json. */
const schemaFile = ".tollgate/project.schema.json";

/**
 * The files that let an editor check a project as the builder does, without installed packages: the schema of
 * tollgate.json, the types of `tollgate/gateway` and the compiler options.
 */
export async function editorFiles(): Promise<Record<string, string>> {
  const { projectJsonSchema } = await import("../../server/json-schemas.ts");
  const schema = { [schemaFile]: `${JSON.stringify(projectJsonSchema())}\n` };
  // A binary without its programs folder does not have the types.
  if (missingPrograms().includes("authoring.ts")) return schema;
  const file = programBeside("authoring.ts") ?? join(import.meta.dir, "../../builder/authoring.ts");
  return {
    ...schema,
    ".tollgate/gateway.d.ts": declarations(await readFile(file, "utf8")),
    "tsconfig.json": config,
  };
}

/** Returns a tollgate.json that refers to its schema. */
export function referringToSchema(settings: string): string {
  return json({ $schema: schemaFile, ...JSON.parse(settings) });
}

function declarations(source: string): string {
  const types = source
    .replace(/^\s*\/\/ biome-ignore .*\n/gm, "")
    .trim()
    .replace(/^(?=.)/gm, "  ");
  return `/** Written by \`tollgate init\`: the types that modules of a gateway project import. */
declare module "tollgate/gateway" {
${types}
}

declare module "tollgate" {
  export * from "tollgate/gateway";
}
`;
}

const config = json({
  compilerOptions: { ...moduleCompilerOptions, strict: true },
  include: ["modules", ".tollgate/gateway.d.ts"],
});
