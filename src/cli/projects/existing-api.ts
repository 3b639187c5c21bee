import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { parse as parseJson } from "jsonc-parser";
import { parse as parseYaml } from "yaml";
import { unreadable } from "../process/file-errors.ts";
import { UsageError } from "../process/usage-error.ts";

/** An existing API: its OpenAPI document, unchanged, and the URL that serves it. */
export interface ExistingApi {
  files: Record<string, string>;
  upstream: string;
}

/** Throws a UsageError if the file is not an OpenAPI document or does not contain a server URL. */
export async function readExistingApi(path: string, upstream: string | undefined): Promise<ExistingApi> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(unreadable(path, error));
  });
  const isYaml = /\.ya?ml$/i.test(path);
  const document = parsed(text, isYaml);
  if (typeof document?.openapi !== "string")
    throw new UsageError(
      `${path} is not an OpenAPI document: it has no member "openapi".`,
      "OpenAPI 3.0 and 3.1 are read, as JSON or YAML.",
    );
  const reference = externalReference(document);
  if (reference !== undefined)
    throw new UsageError(
      `${basename(path)} refers to another document, "${reference}": bundle it into one file first.`,
      `npx @redocly/cli bundle ${path} -o bundled${isYaml ? ".yaml" : ".json"}`,
    );
  const target = upstream ?? document.servers?.map((server) => server?.url).find((url) => url && isUpstream(url));
  if (target === undefined)
    throw new UsageError(
      `${basename(path)} does not contain the URL of its API: it has no server with an http URL.`,
      "Name it: --upstream URL",
    );
  return {
    files: { [isYaml ? "openapi.yaml" : "openapi.json"]: text },
    upstream: expectUpstream("--upstream", target),
  };
}

/** Examples may have members of any name. */
const withoutReferences = new Set(["example", "examples", "default", "enum", "const"]);

/** The first reference that does not point into the document. */
function externalReference(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { $ref } = value as { $ref?: unknown };
  if (typeof $ref === "string" && !$ref.startsWith("#")) return $ref;
  for (const [name, each] of Object.entries(value)) {
    const found = withoutReferences.has(name) ? undefined : externalReference(each);
    if (found !== undefined) return found;
  }
  return undefined;
}

interface Document {
  openapi?: unknown;
  servers?: ({ url?: string } | null)[];
}

function parsed(text: string, isYaml: boolean): Document | undefined {
  try {
    return (isYaml ? parseYaml(text) : parseJson(text)) as Document | undefined;
  } catch {
    return undefined;
  }
}

/** Throws a UsageError if the builder would reject it as an upstream. */
export function expectUpstream(option: string, text: string): string {
  if (!isUpstream(text))
    throw new UsageError(`${option} must be an http or https origin, optionally with a base path, not "${text}".`);
  return text;
}

function isUpstream(text: string): boolean {
  return /^https?:\/\/[^\s\\?#@{}]+$/i.test(text) && URL.canParse(text);
}
