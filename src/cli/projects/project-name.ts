import { basename, join, resolve } from "node:path";
import { UsageError } from "../process/usage-error.ts";

/** A folder's name as a project name, with the characters that a host name allows. */
export function projectNameOf(folder: string): string {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40)
    .replace(/-+$/, "");
  if (name === "")
    throw new UsageError("The folder's name cannot be used as a project name.", "Name it: --project NAME");
  return name;
}

export async function checkProjectFolder(folder: string): Promise<void> {
  const files = ["openapi.json", "openapi.yaml", "openapi.yml"];
  const found = await Promise.all(files.map((file) => Bun.file(join(folder, file)).exists()));
  if (found.includes(true)) return;
  throw new UsageError(
    `There is no gateway project in ${resolve(folder)}: it has no openapi.json or openapi.yaml.`,
    "Create one: tollgate init",
  );
}
