import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const examples = join(import.meta.dir, "../../examples");

/**
 * The files of a project in `examples/`, with replacements such as the upstream's address. Throws if a text to replace
 * is missing.
 */
export async function exampleProject(
  name: string,
  replacements: Record<string, string>,
): Promise<Record<string, string>> {
  const folder = join(examples, name);
  const paths = await readdir(folder, { recursive: true });
  const files = await Promise.all(
    paths
      .filter((path) => /^(?:openapi|tollgate|modules\/.*|schemas\/.*)\.(?:json|ya?ml|ts|js)$/.test(path))
      .map(async (path) => [path, await readFile(join(folder, path), "utf8")] as const),
  );
  for (const text of Object.keys(replacements))
    if (!files.some(([, content]) => content.includes(text))) throw new Error(`${name} has no ${text}`);
  const replaced = (content: string) =>
    Object.entries(replacements).reduce((result, [from, to]) => result.replaceAll(from, to), content);
  return Object.fromEntries(files.map(([path, content]) => [path, replaced(content)]));
}
